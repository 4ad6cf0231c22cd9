import NIOCore

/// Invalid bytes from another node.
@usableFromInline
package struct ClusterCodingError: Error, Hashable, Sendable {
    /// Whether the bytes are a case of an enumeration that this version does not know: lists leave it out, and go on.
    @usableFromInline package var isUnknownKind: Bool

    @inlinable
    package init(isUnknownKind: Bool = false) {
        self.isUnknownKind = isUnknownKind
    }
}

/// How the fields of a value are arranged in bytes.
///
/// Both layouts come from the one list of fields that a type has, and every value can be read in both.
@usableFromInline
package enum CodingLayout: Hashable, Sendable {
    /// One field after the other without tags: numbers big-endian in their width, texts and bytes behind their lengths in four bytes,
    /// optional values behind a flag, lists behind the number of their elements. The only layout that versions up to 0.2 read.
    case sequence
    /// Each field behind its tag and its length, so that a reader skips fields that it does not know, and uses the default of those
    /// that are missing.
    case tagged

    /// The layout that this version writes: that of the version before, because servers of both versions run side by side during an
    /// upgrade, and either may lead. The next version can write the tagged layout, because this one reads it (rule CR-67).
    @usableFromInline package static let written = CodingLayout.sequence
}

/// A value in requests, in facts or in storage. It lists its fields once, for both directions and both layouts.
@usableFromInline
package protocol CodedValue {
    /// Writes or reads all fields, in the ascending order of their tags.
    ///
    /// A tag is never used for another field later. A field that is added later has the next tag and a default, which is what values of
    /// earlier versions have there.
    ///
    /// - Parameter value: the value to write; nil when a value is read.
    /// - Returns: the value that was read or written.
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self

    /// The number of bytes that the value takes in a field of the tagged layout; nil when it is known only after writing.
    var fieldLength: Int? { get }

    /// About how many bytes the value takes, so that they are allocated once.
    var expectedLength: Int { get }
}

extension CodedValue {
    @inlinable
    package var fieldLength: Int? { nil }
    @inlinable
    package var expectedLength: Int { 64 }

    /// The value in bytes.
    @inlinable
    package func encoded(_ layout: CodingLayout = .written) -> ByteBuffer {
        var coder = FieldCoder(writing: layout, capacity: expectedLength)
        // Only foreign bytes make a field throw: a value of this process has all its fields.
        _ = try? Self.code(self, &coder)
        return coder.written
    }

    /// Reads a value that ends where the bytes end, in either layout.
    @inlinable
    package init(decoding bytes: ByteBuffer) throws(ClusterCodingError) {
        var coder = try FieldCoder(reading: bytes)
        self = try Self.code(nil, &coder)
        try coder.end()
    }

    /// Reads what was written in the layout ``CodingLayout/sequence``, as names are that have to stay the same in all versions.
    @inlinable
    package init(decodingName bytes: ByteBuffer) throws(ClusterCodingError) {
        var coder = try FieldCoder(reading: bytes, .sequence)
        self = try Self.code(nil, &coder)
        try coder.end()
    }
}
