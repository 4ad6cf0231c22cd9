extension String {
    /// Whether both texts have the same UTF-8 bytes. `==` would also accept canonically equivalent texts (rule HB-11).
    @inlinable
    public func isExactly(_ other: String) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.count == $0.count && bytes.elementsEqual($0) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<Identifier> {
    /// The texts of the identifiers, in their order.
    @inlinable public var texts: [String] { map(\.text) }
}

extension Sequence<String> {
    /// The identifiers with these texts, in their order.
    @inlinable public var identifiers: [Identifier] { map { Identifier($0) } }

    /// Each text once, at its first place. Texts are told apart by their bytes.
    public func uniqueByBytes() -> [String] {
        var seen: Set<Identifier> = []
        return filter { seen.insert(Identifier($0)).inserted }
    }
}
