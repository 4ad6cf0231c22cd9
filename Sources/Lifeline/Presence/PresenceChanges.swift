import EngineRuntime

/// What travels to those who watch a channel's members.
enum PresenceItem: Sendable {
    case change(PresenceChange)
    /// So many changes were dropped for this consumer alone.
    case dropped(Int)

    static func broadcaster(backlog: Int) -> Broadcaster<PresenceItem> {
        Broadcaster(
            backlog: backlog,
            isDroppable: { item in
                if case .change = item { true } else { false }
            },
            dropped: { .dropped($0) })
    }
}

/// Who comes and goes, for one consumer.
///
/// A consumer that falls behind loses detail but never the truth: changes that were dropped for it are replaced by the
/// difference to the members of the moment (rule LL-10).
public struct PresenceChanges: AsyncSequence, Sendable {
    public typealias Element = PresenceChange
    public typealias Failure = Never

    let stream: EventStream<PresenceItem>
    let channel: String
    /// The members when the sequence began.
    let start: MemberList
    let current: @Sendable () -> [Member]

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), channel: channel, known: start, current: current)
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<PresenceItem>.Iterator
        let channel: String
        var known: MemberList
        let current: @Sendable () -> [Member]
        private var pending: [PresenceChange] = []

        init(
            base: EventStream<PresenceItem>.Iterator, channel: String, known: MemberList,
            current: @escaping @Sendable () -> [Member]
        ) {
            self.base = base
            self.channel = channel
            self.known = known
            self.current = current
        }

        public mutating func next() async -> PresenceChange? {
            while pending.isEmpty {
                switch await base.next() {
                case .change(let change):
                    // What the difference has told already changes nothing any more.
                    if let change = known.apply(change) { return change }
                case .dropped:
                    pending = known.replace(with: current(), in: channel)
                case nil:
                    return nil
                }
            }
            return pending.removeFirst()
        }
    }
}
