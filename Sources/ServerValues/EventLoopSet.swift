/// A set of event loops, by their ids, which are unique among all servers that share a backend. At most 64.
package struct EventLoopSet: Hashable, Sendable, Sequence {
    private var bits: UInt64

    /// The ids of event loops are lower than this number.
    package static let capacity = 64

    /// An empty set.
    package init() {
        bits = 0
    }

    /// Whether the set is empty.
    package var isEmpty: Bool { bits == 0 }

    /// Adds an event loop. Ids outside 0 ..< `capacity` are ignored.
    package mutating func insert(_ eventLoopID: Int) {
        bits |= Self.bit(eventLoopID)
    }

    /// Removes an event loop.
    package mutating func remove(_ eventLoopID: Int) {
        bits &= ~Self.bit(eventLoopID)
    }

    /// Whether an event loop is in the set.
    package func contains(_ eventLoopID: Int) -> Bool {
        bits & Self.bit(eventLoopID) != 0
    }

    /// Adds the event loops of another set.
    package mutating func formUnion(_ other: EventLoopSet) {
        bits |= other.bits
    }

    /// Whether no event loop is in both sets.
    package func isDisjoint(with other: EventLoopSet) -> Bool {
        bits & other.bits == 0
    }

    package func makeIterator() -> Iterator {
        Iterator(bits: bits)
    }

    package struct Iterator: IteratorProtocol {
        fileprivate var bits: UInt64

        package mutating func next() -> Int? {
            guard bits != 0 else { return nil }
            defer { bits &= bits - 1 }
            return bits.trailingZeroBitCount
        }
    }

    private static func bit(_ eventLoopID: Int) -> UInt64 {
        (0..<capacity).contains(eventLoopID) ? 1 << UInt64(eventLoopID) : 0
    }
}
