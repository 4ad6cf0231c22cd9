import EngineRuntime
import Identifiers

/// An element of the stream from the client's hub, which distributes events, to one sequence of typing users. It has no data: the sequence
/// reads the present list on delivery.
enum TypingItem: Sendable {
    case changed

    static func broadcaster(_ consumers: (any ConsumerTracker)? = nil) -> Broadcaster<TypingItem> {
        Broadcaster(backlog: 1, tracker: consumers, isDroppable: { _ in true }, dropped: { _ in .changed })
    }
}

/// The users who are typing in a channel, as a whole list after each change: an async sequence for one consumer. Rule LL-121.
///
/// The sequence begins with the present list and ends with the room. A slow consumer gets fewer lists, but never an older list after a
/// newer one.
public struct TypingUsers: AsyncSequence, Sendable {
    /// A list of the ids of all typing users, in the order in which they began.
    public typealias Element = [String]
    /// Iteration cannot throw; it ends with the room or the client.
    public typealias Failure = Never

    let stream: EventStream<TypingItem>
    /// Keeps the room subscribed while a consumer reads this sequence.
    let hold: RoomHold

    /// Makes the iterator of a `for await` loop. Each loop begins with the present list.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), hold: hold)
    }

    /// Iterates over the lists of typing users. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<TypingItem>.Iterator
        let hold: RoomHold
        var last: [Identifier]?

        /// Waits for a list that differs from the last delivered one. Returns nil at the end of the sequence.
        public mutating func next() async -> [String]? {
            guard last != nil else { return take(hold.typingUsers) }
            while await base.next() != nil {
                // If several changes were made before this read, only one list is delivered for all of them.
                let users = hold.typingUsers
                if last != users.map({ Identifier($0) }) { return take(users) }
            }
            return nil
        }

        private mutating func take(_ users: [String]) -> [String] {
            last = users.map { Identifier($0) }
            return users
        }
    }
}
