import DequeModule
import EngineRuntime
import NIOConcurrencyHelpers

/// An element of the stream from the client's hub, which distributes events, to one sequence of presence changes.
enum PresenceItem: Sendable {
    case change(PresenceChange)
    /// The number of changes that were dropped for this consumer only, because it was too slow.
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
/// If changes are dropped because the consumer is too slow, the sequence delivers the difference to the present members instead (rule
/// LL-10).
public struct PresenceChanges: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = PresenceChange
    /// Iteration cannot throw; it ends with the room or the client.
    public typealias Failure = Never

    /// The state of the consumer. `members` is the list that results from all changes that were delivered or are pending.
    fileprivate struct Told: Sendable {
        var members: MemberList
        /// Changes that replace dropped ones and were not delivered yet. Together they lead from the members that the consumer has to
        /// the present members of the channel.
        var pending: Deque<PresenceChange> = []
    }

    private let stream: EventStream<PresenceItem>
    private let channel: String
    private let told: NIOLockedValueBox<Told>
    private let current: @Sendable () -> [Member]

    /// Makes a sequence.
    ///
    /// - Parameters:
    ///   - start: the members when the sequence began.
    ///   - current: returns the present members.
    init(
        stream: EventStream<PresenceItem>, channel: String, start: MemberList, current: @escaping @Sendable () -> [Member]
    ) {
        self.stream = stream
        self.channel = channel
        told = NIOLockedValueBox(Told(members: start))
        self.current = current
    }

    /// Makes the iterator of a `for await` loop. It continues after the last change that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), channel: channel, told: told, current: current)
    }

    /// Iterates over the changes. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<PresenceItem>.Iterator
        fileprivate let channel: String
        fileprivate let told: NIOLockedValueBox<Told>
        fileprivate let current: @Sendable () -> [Member]

        /// Waits for the next change. Returns nil at the end of the sequence.
        public mutating func next() async -> PresenceChange? {
            while true {
                let waiting = told.withLockedValue { $0.pending.popFirst() }
                if let waiting { return waiting }
                switch await base.next() {
                case .change(let change):
                    // The change is skipped if the consumer already has it, because it was part of a difference that replaced dropped
                    // changes.
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
