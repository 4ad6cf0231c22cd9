import ConnectionEngine
import EngineRuntime

/// An element for consumers of the reactions of a channel.
enum ReactionItem: Sendable {
    case change(ReactionChange)
    /// This number of changes was dropped for this consumer alone.
    case dropped(Int)

    static func broadcaster(backlog: Int, _ consumers: (any ConsumerTracker)? = nil) -> Broadcaster<ReactionItem> {
        Broadcaster(
            backlog: backlog, tracker: consumers,
            isDroppable: { item in
                if case .change(.missed) = item { return false }
                if case .change = item { return true }
                return false
            },
            dropped: { .dropped($0) })
    }
}

/// The changes of the reactions to a channel's messages, as an async sequence for one consumer: those of others and this client's own. It ends with the
/// room, with the client, or when the consuming task is cancelled. Rule LL-126.
///
/// The sequence is bounded as ``Deliveries`` are: changes that were dropped for a slow consumer are a ``ReactionChange/missed(_:)``. A later loop over the
/// same sequence continues where an earlier one ended.
public struct Reactions: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = ReactionChange
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<ReactionItem>
    /// When the sequence began.
    let start: Moment
    let clock: FeedClock
    /// Keeps the room subscribed while a consumer reads it.
    let hold: RoomHold

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), start: start, clock: clock, hold: hold)
    }

    /// Returns one change after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<ReactionItem>.Iterator
        let start: Moment
        let clock: FeedClock
        let hold: RoomHold

        /// The next change, or nil at the end.
        public mutating func next() async -> ReactionChange? {
            switch await base.next() {
            case .change(let change): return change
            case .dropped(let count):
                return .missed(
                    Gap(
                        channel: hold.feed.channel, since: clock.publishedBefore(start), reason: .slowConsumer, dropped: count,
                        at: clock.now()))
            case nil: return nil
            }
        }
    }
}

extension Room {
    /// The changes of the reactions to the channel's messages, from now on. Each read of the property gives an independent sequence.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no reactions, or when the client insists on encryption, because the
    ///   service can read them. Ask ``Channel/supports(_:)`` with ``ChannelFeature/reactions`` before.
    public var reactions: Reactions {
        get throws(LifelineError) {
            try core.checkUnencrypted(.reactions)
            try core.adapter.check(.reactions, of: name)
            return hold.reactions()
        }
    }
}
