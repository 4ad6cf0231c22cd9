import NIOCore

/// Writes or reads the fields of a ``CodedValue``.
///
/// Every method does both: its argument is the value to write, or nil when a value is read, and it returns the value that was read or
/// written. Invalid bytes can only make a method throw. The memory for a list is at most proportional to the number of bytes that are read.
///
/// A value in the tagged layout begins with ``mark`` and the length of the rest in four bytes. Each field consists of its tag (1 to 255),
/// its length (seven bits in a byte, the lowest first, the highest bit set in each byte but the last) and its content. The content of a
/// number is big-endian, that of a text or of bytes is unchanged, that of another value is its fields, and that of a list is its elements,
/// each after its length. The case of an enumeration is the field with the tag 0. Optional values that are nil and empty lists are left
/// out.
@usableFromInline
package struct FieldCoder {
    /// The first four bytes of a value in the tagged layout. Values in the sequence layout begin with a small number; a few begin with a
    /// random number of eight bytes.
    @usableFromInline package static let mark: UInt32 = 0xF54C_4601
    /// The number of bytes before the fields of a value in the tagged layout: mark and length.
    @usableFromInline static let head = 8

    @usableFromInline package let layout: CodingLayout
    @usableFromInline let isWriting: Bool
    /// The bytes written so far, or the unread rest of the value or field that is being read.
    @usableFromInline var bytes: ByteBuffer
    /// The tag and the length of the next field, if they have been read already.
    @usableFromInline var next: (tag: UInt8, length: Int)?

    @inlinable
    package init(writing layout: CodingLayout, capacity: Int) {
        self.layout = layout
        isWriting = true
        bytes = ByteBuffer()
        bytes.reserveCapacity(capacity)
        if layout == .tagged { bytes.writeMultipleIntegers(Self.mark, 0 as UInt32) }
    }

    /// - Parameter layout: the layout of the bytes; nil to detect it from their beginning.
    @inlinable
    package init(reading bytes: ByteBuffer, _ layout: CodingLayout? = nil) throws(ClusterCodingError) {
        self.bytes = bytes
        isWriting = false
        let isMarked = bytes.getInteger(at: bytes.readerIndex, as: UInt32.self) == Self.mark
        self.layout = layout ?? (isMarked ? .tagged : .sequence)
        guard self.layout == .tagged else { return }
        guard let head = self.bytes.readMultipleIntegers(as: (UInt32, UInt32).self), head.1 == self.bytes.readableBytes else {
            throw ClusterCodingError()
        }
    }

    /// What was written.
    @inlinable
    package var written: ByteBuffer {
        var written = bytes
        if layout == .tagged { written.setInteger(UInt32(clamping: bytes.writerIndex - Self.head), at: 4) }
        return written
    }

    /// Throws when unread bytes follow a value in the sequence layout. In the tagged layout, unread fields are those of a later version.
    @inlinable
    package func end() throws(ClusterCodingError) {
        guard layout == .tagged || bytes.readableBytes == 0 else { throw ClusterCodingError() }
    }

    // MARK: Fields

    /// Codes the case of an enumeration, which precedes its other fields.
    @inlinable
    package mutating func kind<Kind: RawRepresentable>(
        _ given: Kind?
    ) throws(ClusterCodingError) -> Kind where Kind.RawValue == UInt8 {
        guard let kind = Kind(rawValue: try field(0, given?.rawValue)) else { throw ClusterCodingError(isUnknownKind: true) }
        return kind
    }

    /// Codes a field that every value has.
    ///
    /// - Parameter fallback: the value that is read when the field is missing; nil if the field must not be missing. Only a field that was
    ///   added after the layout ``CodingLayout/sequence`` was fixed may be missing.
    @inlinable
    package mutating func field<Value: CodedValue>(
        _ tag: UInt8, _ given: Value?, default fallback: Value? = nil
    ) throws(ClusterCodingError) -> Value {
        guard let value = try isWriting ? given ?? fallback : read(tag, isYounger: fallback != nil) ?? fallback else {
            throw ClusterCodingError()
        }
        if isWriting { try write(tag, value, isYounger: fallback != nil) }
        return value
    }

    /// Codes a field that may be nil.
    ///
    /// - Parameter isYounger: whether the field was added after the layout ``CodingLayout/sequence`` was fixed, so that this layout does
    ///   not contain it.
    @inlinable
    package mutating func optional<Value: CodedValue>(
        _ tag: UInt8, _ given: Value?, isYounger: Bool = false
    ) throws(ClusterCodingError) -> Value? {
        let isFlagged = layout == .sequence && !isYounger
        if isWriting {
            if isFlagged { bytes.writeInteger(given == nil ? 0 as UInt8 : 1) }
            if let given { try write(tag, given, isYounger: isYounger) }
            return given
        }
        if isFlagged { guard try Bool.code(nil, &self) else { return nil } }
        return try read(tag, isYounger: isYounger)
    }

    /// Codes a list; a missing one is read as an empty list.
    ///
    /// - Parameter isYounger: whether the list was added after the layout ``CodingLayout/sequence`` was fixed, so that this layout does not
    ///   contain it.
    @inlinable
    package mutating func list<Value: CodedValue>(
        _ tag: UInt8, _ given: [Value]?, isYounger: Bool = false
    ) throws(ClusterCodingError) -> [Value] {
        let list = CodedList(given ?? [])
        if isWriting {
            if !isYounger || layout == .tagged, !list.elements.isEmpty || layout == .sequence {
                try write(tag, list, isYounger: isYounger)
            }
            return list.elements
        }
        return try read(tag, isYounger: isYounger, as: CodedList<Value>.self)?.elements ?? []
    }

    /// Codes a byte with a version number, which precedes the fields of some values in the layout ``CodingLayout/sequence``.
    @inlinable
    package mutating func version(_ version: UInt8) throws(ClusterCodingError) {
        guard layout == .sequence else { return }
        guard try UInt8.code(isWriting ? version : nil, &self) == version else { throw ClusterCodingError() }
    }

    // MARK: Writing and reading of fields

    @inlinable
    mutating func write<Value: CodedValue>(
        _ tag: UInt8, _ value: Value, isYounger: Bool
    ) throws(ClusterCodingError) {
        switch layout {
        case .sequence: if !isYounger { _ = try Value.code(value, &self) }
        case .tagged:
            bytes.writeInteger(tag)
            try write(measured: value)
        }
    }

    /// Writes the length of a value, and then the value.
    @inlinable
    mutating func write<Value: CodedValue>(measured value: Value) throws(ClusterCodingError) {
        if let length = value.fieldLength {
            write(length: length)
            _ = try Value.code(value, &self)
            return
        }
        let start = bytes.writerIndex
        bytes.writeMultipleIntegers(0 as UInt32, 0 as UInt8)
        _ = try Value.code(value, &self)
        set(length: bytes.writerIndex - start - 5, at: start)
    }

    /// Reads the field with this tag.
    ///
    /// - Returns: the field's value; nil when the field is missing.
    @inlinable
    mutating func read<Value: CodedValue>(
        _ tag: UInt8, isYounger: Bool, as type: Value.Type = Value.self
    ) throws(ClusterCodingError) -> Value? {
        switch layout {
        case .sequence: return isYounger ? nil : try Value.code(nil, &self)
        case .tagged:
            guard let length = try find(tag) else { return nil }
            return try read(length: length)
        }
    }

    /// Reads a value that consists of the next `length` bytes.
    @inlinable
    mutating func read<Value: CodedValue>(length: Int) throws(ClusterCodingError) -> Value {
        guard let content = bytes.readSlice(length: length) else { throw ClusterCodingError() }
        let outer = (bytes, next)
        (bytes, next) = (content, nil)
        defer { (bytes, next) = outer }
        return try Value.code(nil, &self)
    }

    /// Skips fields with lower tags, and reads the tag and the length of the field with this tag.
    ///
    /// - Returns: the length of the field, whose content follows; nil when the value does not have the field.
    @usableFromInline
    mutating func find(_ tag: UInt8) throws(ClusterCodingError) -> Int? {
        while next != nil || bytes.readableBytes > 0 {
            let field: (tag: UInt8, length: Int)
            if let next {
                field = next
            } else {
                guard let tag = bytes.readInteger(as: UInt8.self) else { throw ClusterCodingError() }
                field = (tag, try readLength())
                next = field
            }
            if field.tag > tag { return nil }
            next = nil
            guard field.tag < tag else { return field.length }
            guard bytes.readSlice(length: field.length) != nil else { throw ClusterCodingError() }
        }
        return nil
    }

    // MARK: Lengths

    @usableFromInline
    mutating func write(length: Int) {
        var rest = UInt64(clamping: length)
        while rest > 0x7F {
            bytes.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.writeInteger(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a length into the five bytes that were reserved for it at `index`.
    @usableFromInline
    mutating func set(length: Int, at index: Int) {
        var rest = UInt64(clamping: length)
        for offset in 0..<5 {
            bytes.setInteger(UInt8(truncatingIfNeeded: rest) & 0x7F | (offset < 4 ? 0x80 : 0), at: index + offset)
            rest >>= 7
        }
    }

    @usableFromInline
    mutating func readLength() throws(ClusterCodingError) -> Int {
        var length: UInt64 = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = bytes.readInteger(as: UInt8.self) else { throw ClusterCodingError() }
            length |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return Int(clamping: length) }
        }
        throw ClusterCodingError()
    }
}

/// The elements of a list, coded as the content of one field.
@usableFromInline
struct CodedList<Element: CodedValue>: CodedValue {
    @usableFromInline var elements: [Element]

    @inlinable
    init(_ elements: [Element]) {
        self.elements = elements
    }

    @inlinable
    static func code(
        _ value: CodedList?, _ fields: inout FieldCoder
    ) throws(ClusterCodingError) -> CodedList {
        guard let value else { return CodedList(try read(&fields)) }
        if fields.layout == .sequence { fields.bytes.writeInteger(UInt32(clamping: value.elements.count)) }
        for element in value.elements {
            if fields.layout == .tagged { try fields.write(measured: element) } else { _ = try Element.code(element, &fields) }
        }
        return value
    }

    @inlinable
    static func read(_ fields: inout FieldCoder) throws(ClusterCodingError) -> [Element] {
        var elements: [Element] = []
        guard fields.layout == .tagged else {
            let count = Int(try UInt32.code(nil, &fields))
            // Each element has at least one byte, so a count greater than the number of bytes is invalid and must not reserve memory.
            guard count <= fields.bytes.readableBytes else { throw ClusterCodingError() }
            elements.reserveCapacity(min(count, 4_096))
            for _ in 0..<count { elements.append(try Element.code(nil, &fields)) }
            return elements
        }
        while fields.bytes.readableBytes > 0 {
            let length = try fields.readLength()
            do throws(ClusterCodingError) {
                elements.append(try fields.read(length: length))
            } catch {
                guard error.isUnknownKind else { throw error }
            }
        }
        return elements
    }
}
