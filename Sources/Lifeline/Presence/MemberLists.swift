/// All members of a channel, as a whole list after each change: an async sequence for one consumer, for screens that show lists. Rule
/// LL-86.
///
/// The sequence begins with the present members. A slow consumer gets fewer lists, but never an older list after a newer one.
public struct MemberLists: AsyncSequence, Sendable {
    /// A list of all members, in the order in which they joined.
    public typealias Element = [Member]
    /// Iteration cannot throw; it ends with the room or the client.
    public typealias Failure = Never

    let changes: PresenceChanges
    let current: @Sendable () -> [Member]

    /// Makes the iterator of a `for await` loop. Each loop begins with the present members.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: changes.makeAsyncIterator(), current: current)
    }

    /// Iterates over the lists of members. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: PresenceChanges.Iterator
        private let current: @Sendable () -> [Member]
        private var last: [Member]?

        init(base: PresenceChanges.Iterator, current: @escaping @Sendable () -> [Member]) {
            self.base = base
            self.current = current
        }

        /// Waits for a list that differs from the last delivered one. Returns nil at the end of the sequence.
        public mutating func next() async -> [Member]? {
            guard let known = last else {
                last = current()
                return last
            }
            while await base.next() != nil {
                // If several changes were made before this read, only one list is delivered for all of them.
                let members = current()
                guard members != known else { continue }
                last = members
                return members
            }
            return nil
        }
    }
}

extension Presence {
    /// The members as whole lists: first the present list, then a new list after each change. Each read of the property returns an
    /// independent sequence.
    public var memberLists: MemberLists {
        MemberLists(changes: changes, current: { [hold] in hold.members })
    }
}
