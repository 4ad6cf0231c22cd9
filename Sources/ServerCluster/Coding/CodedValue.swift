import NIOCore

/// The error for bytes from another node or from the store that cannot be decoded.
@usableFromInline
package struct ClusterCodingError: Error, Hashable, Sendable {
    /// Whether the bytes are a case of an enumeration that this version does not have. A reader of a list leaves out such an element and
    /// continues with the next element.
    @usableFromInline package var isUnknownKind: Bool

    @inlinable
    package init(isUnknownKind: Bool = false) {
        self.isUnknownKind = isUnknownKind
    }
}

/// How the fields of a value are arranged in bytes.
///
/// Both layouts are derived from the one list of fields that a type has, and every value can be read in both.
@usableFromInline
package enum CodingLayout: Hashable, Sendable {
    /// One field after the other without tags: numbers big-endian in their width, texts and bytes after a length of four bytes, optional
    /// values after a flag, lists after the number of their elements. Versions up to 0.2 read only this layout.
    case sequence
    /// Each field after its tag and its length, so that a reader skips fields that it does not have, and uses defaults for missing fields.
    case tagged

    /// The layout that this version writes. It is the layout of the previous version, because servers of both versions run side by side
    /// during an upgrade, and either may lead. The next version can write the tagged layout, because this version reads it (rule CR-67).
    @usableFromInline package static let written = CodingLayout.sequence
}

/// A value that is coded as bytes in requests, in facts (a leader's decisions) or in the store. It lists its fields once, for reading and
/// writing and for both layouts.
@usableFromInline
package protocol CodedValue {
    /// Writes or reads all fields, in the ascending order of their tags.
    ///
    /// A tag is never used for another field later. A field that is added in a later version gets the next tag and a default, which a
    /// reader uses for values of earlier versions.
    ///
    /// - Parameter value: the value to write; nil when a value is read.
    /// - Returns: the value that was read or written.
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self

    /// The number of bytes that the value takes in a field of the tagged layout; nil when it is known only after writing.
    var fieldLength: Int? { get }

    /// The approximate number of bytes that the value takes, so that the memory for writing is allocated once.
    var expectedLength: Int { get }
}

extension CodedValue {
    @inlinable
    package var fieldLength: Int? { nil }
    @inlinable
    package var expectedLength: Int { 64 }

    /// Returns the value as bytes in the given layout.
    @inlinable
    package func encoded(_ layout: CodingLayout = .written) -> ByteBuffer {
        var coder = FieldCoder(writing: layout, capacity: expectedLength)
        // Writing cannot throw: only bytes from outside cause errors, and a value of this process has all its fields.
        _ = try? Self.code(self, &coder)
        return coder.written
    }

    /// Reads a value in either layout. Throws unless the value uses all bytes.
    @inlinable
    package init(decoding bytes: ByteBuffer) throws(ClusterCodingError) {
        var coder = try FieldCoder(reading: bytes)
        self = try Self.code(nil, &coder)
        try coder.end()
    }

    /// Reads a value in the layout ``CodingLayout/sequence``. Names use that layout, because they have to be the same in all versions.
    @inlinable
    package init(decodingName bytes: ByteBuffer) throws(ClusterCodingError) {
        var coder = try FieldCoder(reading: bytes, .sequence)
        self = try Self.code(nil, &coder)
        try coder.end()
    }
}
