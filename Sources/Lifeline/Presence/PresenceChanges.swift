import EngineRuntime
import NIOConcurrencyHelpers

/// What travels to those who watch a channel's members.
enum PresenceItem: Sendable {
    case change(PresenceChange)
    /// So many changes were dropped for this consumer alone.
    case dropped(Int)

    static func broadcaster(backlog: Int, _ consumers: (any ConsumerTracker)? = nil) -> Broadcaster<PresenceItem> {
        Broadcaster(
            backlog: backlog, tracker: consumers,
            isDroppable: { item in
                if case .change = item { true } else { false }
            },
            dropped: { .dropped($0) })
    }
}

/// The changes of a channel's members, as an async sequence for one consumer. A later loop over the same sequence continues where an
/// earlier one ended.
///
/// When a consumer falls too far behind, the changes that were dropped for it are replaced by the difference to the present members
/// (rule LL-10).
public struct PresenceChanges: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = PresenceChange
    /// The sequence never throws.
    public typealias Failure = Never

    /// What the consumer knows.
    fileprivate struct Told: Sendable {
        var members: MemberList
        /// A difference, as far as it is not handed out.
        var pending: [PresenceChange] = []
    }

    private let stream: EventStream<PresenceItem>
    private let channel: String
    private let told: NIOLockedValueBox<Told>
    private let current: @Sendable () -> [Member]

    /// - Parameters:
    ///   - start: the members when the sequence began.
    ///   - current: the members of the moment.
    init(
        stream: EventStream<PresenceItem>, channel: String, start: MemberList, current: @escaping @Sendable () -> [Member]
    ) {
        self.stream = stream
        self.channel = channel
        told = NIOLockedValueBox(Told(members: start))
        self.current = current
    }

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), channel: channel, told: told, current: current)
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<PresenceItem>.Iterator
        fileprivate let channel: String
        fileprivate let told: NIOLockedValueBox<Told>
        fileprivate let current: @Sendable () -> [Member]

        /// The next change, or nil at the end.
        public mutating func next() async -> PresenceChange? {
            while true {
                let waiting = told.withLockedValue { $0.pending.isEmpty ? nil : $0.pending.removeFirst() }
                if let waiting { return waiting }
                switch await base.next() {
                case .change(let change):
                    // What the difference has told already changes nothing any more.
                    if let change = told.withLockedValue({ $0.members.apply(change) }) { return change }
                case .dropped:
                    let present = current()
                    told.withLockedValue { $0.pending = $0.members.replace(with: present, in: channel) }
                case nil:
                    return nil
                }
            }
        }
    }
}
