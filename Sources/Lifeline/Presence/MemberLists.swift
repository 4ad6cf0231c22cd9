/// All members of a channel, as a whole list each time it changes: an async sequence for one consumer, for screens that show lists.
/// Rule LL-86.
///
/// It begins with the present members. A consumer that is slow gets fewer lists, never an old one after a newer one.
public struct MemberLists: AsyncSequence, Sendable {
    /// The members, in the order of arrival.
    public typealias Element = [Member]
    /// The sequence never throws.
    public typealias Failure = Never

    let changes: PresenceChanges
    let current: @Sendable () -> [Member]

    /// Begins with the present members.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: changes.makeAsyncIterator(), current: current)
    }

    /// Hands out one list after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: PresenceChanges.Iterator
        private let current: @Sendable () -> [Member]
        private var last: [Member]?

        init(base: PresenceChanges.Iterator, current: @escaping @Sendable () -> [Member]) {
            self.base = base
            self.current = current
        }

        /// The next list that differs from the last one, or nil at the end.
        public mutating func next() async -> [Member]? {
            guard let known = last else {
                last = current()
                return last
            }
            while await base.next() != nil {
                // Several changes that came together make one list.
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
    /// The members as whole lists: the present one first, then a new list after each change. Each read of the property gives an
    /// independent sequence.
    public var memberLists: MemberLists {
        MemberLists(changes: changes, current: { [hold] in hold.members })
    }
}
