/// A set of partitions, at most 64. A partition is whatever the owner delivers to at once, in practice an event loop.
public struct PartitionSet: Hashable, Sendable, Sequence {
    private var bits: UInt64

    /// Numbers of partitions are below this.
    public static let capacity = 64

    public init() {
        bits = 0
    }

    public var isEmpty: Bool { bits == 0 }

    /// Numbers outside 0 ..< `capacity` are ignored.
    public mutating func insert(_ partition: Int) {
        bits |= Self.bit(partition)
    }

    public mutating func remove(_ partition: Int) {
        bits &= ~Self.bit(partition)
    }

    public func contains(_ partition: Int) -> Bool {
        bits & Self.bit(partition) != 0
    }

    /// Takes over what another set has.
    public mutating func formUnion(_ other: PartitionSet) {
        bits |= other.bits
    }

    /// Whether no partition is in both.
    public func isDisjoint(with other: PartitionSet) -> Bool {
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

    private static func bit(_ partition: Int) -> UInt64 {
        (0..<capacity).contains(partition) ? 1 << UInt64(partition) : 0
    }
}
