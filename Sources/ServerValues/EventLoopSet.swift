/// A set of event loops, at most 64, by their numbers among those of all servers that share a backend.
public struct EventLoopSet: Hashable, Sendable, Sequence {
    private var bits: UInt64

    /// Numbers of event loops are below this.
    public static let capacity = 64

    /// An empty set.
    public init() {
        bits = 0
    }

    /// Whether the set is empty.
    public var isEmpty: Bool { bits == 0 }

    /// Adds an event loop. Numbers outside 0 ..< `capacity` are ignored.
    public mutating func insert(_ eventLoopID: Int) {
        bits |= Self.bit(eventLoopID)
    }

    /// Removes an event loop.
    public mutating func remove(_ eventLoopID: Int) {
        bits &= ~Self.bit(eventLoopID)
    }

    /// Whether an event loop is in the set.
    public func contains(_ eventLoopID: Int) -> Bool {
        bits & Self.bit(eventLoopID) != 0
    }

    /// Adds the event loops of another set.
    public mutating func formUnion(_ other: EventLoopSet) {
        bits |= other.bits
    }

    /// Whether no event loop is in both.
    public func isDisjoint(with other: EventLoopSet) -> Bool {
        bits & other.bits == 0
    }

    public func makeIterator() -> Iterator {
        Iterator(bits: bits)
    }

    public struct Iterator: IteratorProtocol {
        fileprivate var bits: UInt64

        public mutating func next() -> Int? {
            guard bits != 0 else { return nil }
            defer { bits &= bits - 1 }
            return bits.trailingZeroBitCount
        }
    }

    private static func bit(_ eventLoopID: Int) -> UInt64 {
        (0..<capacity).contains(eventLoopID) ? 1 << UInt64(eventLoopID) : 0
    }
}
