extension String {
    /// Whether both texts have the same UTF-8 bytes. `==` would also accept canonically equivalent texts (rule HB-11).
    @inlinable
    public func isExactly(_ other: String) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { ByteEquality.areEqual(.init(bytes), .init($0)) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

@usableFromInline
enum ByteEquality {
    /// Eight bytes at a time, since every message is looked up by its names.
    @usableFromInline
    static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        var offset = 0
        while left.count - offset >= 8 {
            let isEqual =
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard isEqual else { return false }
            offset += 8
        }
        while offset < left.count {
            guard left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// Whether `bytes` ends with `suffix`. Most names differ from a suffix in their last byte already.
    @usableFromInline
    static func ends(_ bytes: UnsafeRawBufferPointer, with suffix: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= suffix.count, bytes.last == suffix.last || suffix.isEmpty else { return false }
        return areEqual(UnsafeRawBufferPointer(rebasing: bytes.suffix(suffix.count)), suffix)
    }
}

extension Sequence<Identifier> {
    /// The texts of the identifiers, in their order.
    @inlinable public var texts: [String] { map(\.text) }
}

extension Sequence<String> {
    /// The identifiers with these texts, in their order.
    @inlinable public var identifiers: [Identifier] { map { Identifier($0) } }

    /// Each text once, in the order of first occurrence. Texts are compared by their bytes.
    public func uniqueByBytes() -> [String] {
        var seen: Set<Identifier> = []
        return filter { seen.insert(Identifier($0)).inserted }
    }
}
