import EngineRuntime
import Identifiers

/// An element for consumers of typing users: a change. The list is read on delivery, so it is always the present one.
enum TypingItem: Sendable {
    case changed

    static func broadcaster(_ consumers: (any ConsumerTracker)? = nil) -> Broadcaster<TypingItem> {
        Broadcaster(backlog: 1, tracker: consumers, isDroppable: { _ in true }, dropped: { _ in .changed })
    }
}

/// The users who are typing in a channel, as a whole list each time it changes: an async sequence for one consumer. Rule LL-121.
///
/// It begins with the present list and ends with the room. A consumer that is slow gets fewer lists, never an old one after a newer
/// one.
public struct TypingUsers: AsyncSequence, Sendable {
    /// The ids of the users, in the order in which they began.
    public typealias Element = [String]
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<TypingItem>
    /// Keeps the room subscribed while a consumer reads it.
    let hold: RoomHold

    /// Begins with the present list.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), hold: hold)
    }

    /// Hands out one list after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<TypingItem>.Iterator
        let hold: RoomHold
        var last: [Identifier]?

        /// The next list that differs from the last one, or nil at the end.
        public mutating func next() async -> [String]? {
            guard last != nil else { return take(hold.typingUsers) }
            while await base.next() != nil {
                // Several changes that came together make one list.
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
