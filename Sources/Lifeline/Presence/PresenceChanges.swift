import DequeModule
import EngineRuntime
import NIOConcurrencyHelpers

/// An element for those who watch a channel's members.
enum PresenceItem: Sendable {
    case change(PresenceChange)
    /// This number of changes was dropped for this consumer alone.
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

    /// The member list as the consumer knows it.
    fileprivate struct Told: Sendable {
        var members: MemberList
        /// The part of a difference that was not delivered yet.
        var pending: Deque<PresenceChange> = []
    }

    private let stream: EventStream<PresenceItem>
    private let channel: String
    private let told: NIOLockedValueBox<Told>
    private let current: @Sendable () -> [Member]

    /// - Parameters:
    ///   - start: the members when the sequence began.
    ///   - current: the present members.
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
                let waiting = told.withLockedValue { $0.pending.popFirst() }
                if let waiting { return waiting }
                switch await base.next() {
                case .change(let change):
                    // A change that the difference contained already is not delivered again.
                    if let change = told.withLockedValue({ $0.members.apply(change) }) { return change }
                case .dropped:
                    let present = current()
                    told.withLockedValue { $0.pending = Deque($0.members.replace(with: present, in: channel)) }
                case nil:
                    return nil
                }
            }
        }
    }
}
