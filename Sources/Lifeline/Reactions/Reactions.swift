import ConnectionEngine
import EngineRuntime

/// An element of the stream from the client's hub, which distributes events, to one sequence of reaction changes.
enum ReactionItem: Sendable {
    case change(ReactionChange)
    /// The number of changes that were dropped for this consumer only, because it was too slow.
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

/// The changes of the reactions to a channel's messages, by other users and by this client's user, as an async sequence for one consumer.
/// The sequence ends with the room, with the client, or when the consuming task is cancelled. Rule LL-126.
///
/// The sequence is bounded: if changes are dropped because the consumer is too slow, it delivers a ``ReactionChange/missed(_:)`` instead. A
/// later loop over the same sequence continues where an earlier one ended.
public struct Reactions: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = ReactionChange
    /// Iteration cannot throw; it ends with the room or the client.
    public typealias Failure = Never

    let stream: EventStream<ReactionItem>
    /// When the sequence was created. The start of the gap that reports dropped changes is derived from this time.
    let start: Moment
    let clock: FeedClock
    /// Keeps the room subscribed while a consumer reads this sequence.
    let hold: RoomHold

    /// Makes the iterator of a `for await` loop. It continues after the last change that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), start: start, clock: clock, hold: hold)
    }

    /// Iterates over the changes. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<ReactionItem>.Iterator
        let start: Moment
        let clock: FeedClock
        let hold: RoomHold

        /// Waits for the next change. Returns nil at the end of the sequence.
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
    /// The changes of the reactions to the channel's messages, from now on. Each read of the property returns an independent sequence.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no reactions. Also when the client requires encryption, because
    ///   the service can read reactions. Check ``Channel/supports(_:)`` with ``ChannelFeature/reactions`` first.
    public var reactions: Reactions {
        get throws(LifelineError) {
            try core.checkUnencrypted(.reactions)
            try core.adapter.check(.reactions, of: name)
            return hold.reactions()
        }
    }
}
