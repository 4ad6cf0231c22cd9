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
    /// Compares bytes in steps of eight, because this function is called for the names in every message.
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

    /// Whether `bytes` ends with `suffix`. The last byte is compared first, because most names differ in it.
    @usableFromInline
    static func ends(_ bytes: UnsafeRawBufferPointer, with suffix: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= suffix.count, bytes.last == suffix.last || suffix.isEmpty else { return false }
        return areEqual(UnsafeRawBufferPointer(rebasing: bytes.suffix(suffix.count)), suffix)
    }
}

extension Sequence<Identifier> {
    /// The identifiers as strings, in the same order.
    @inlinable public var texts: [String] { map(\.text) }
}

extension Sequence<String> {
    /// The strings as identifiers, in the same order.
    @inlinable public var identifiers: [Identifier] { map { Identifier($0) } }

    /// The texts without repetitions, in the order of their first occurrence. Texts are compared by their bytes.
    public func uniqueByBytes() -> [String] {
        var seen: Set<Identifier> = []
        return filter { seen.insert(Identifier($0)).inserted }
    }
}
