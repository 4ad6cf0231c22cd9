/// A name that a client or an application chose: the id of a user, a channel, a group, a device or a key. Two identifiers are equal only
/// when their UTF-8 bytes are equal (rule HB-11).
///
/// `String` compares by canonical equivalence: K equals the Kelvin sign, and é equals an e that is followed by an accent. A service that
/// issues ids compares bytes and treats these as two users, so a table with `String` keys would let one user act as the other. Every table,
/// set and comparison of ids therefore uses this type, and `Tests/InteropTests/test_sources.py` checks that no `String` is the key of a
/// table without a reason.
///
/// Hashing reads the bytes too: texts that are canonically equivalent have different hash values, so nobody can fill one bucket of a table
/// with spellings of one name. Creating an identifier from a native string neither copies nor allocates.
public struct Identifier: Sendable {
    /// The text from which the identifier was made, unchanged.
    public let text: String

    /// Makes an identifier from a text, without normalising it.
    @inlinable
    public init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    /// Makes an identifier from a part of a text, without normalising it.
    @inlinable
    public init(_ text: Substring) {
        self.init(String(text))
    }

    /// Whether the identifier is the empty text.
    @inlinable public var isEmpty: Bool { text.isEmpty }

    /// The UTF-8 bytes by which identifiers are compared.
    @inlinable public var utf8: String.UTF8View { text.utf8 }
}

extension Identifier: Hashable {
    @inlinable
    public static func == (left: Identifier, right: Identifier) -> Bool {
        left.text.isExactly(right.text)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
        // A byte that occurs in no UTF-8 text marks the end of the text. Without it, the pairs `ab`, `c` and `a`, `bc` would have the same
        // hash value.
        hasher.combine(0xFF as UInt8)
    }
}

extension Identifier: Comparable {
    /// Orders identifiers by their bytes, as SQLite's `BINARY` collation and Redis do.
    @inlinable
    public static func < (left: Identifier, right: Identifier) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension Identifier: ExpressibleByStringInterpolation {
    @inlinable
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension Identifier: CustomStringConvertible {
    @inlinable public var description: String { text }
}

extension Identifier: Codable {
    /// Decodes an identifier from a single string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
