import Identifiers
import NIOCore

// How texts, bytes, numbers and flags are coded as fields of a ``CodedValue``.

extension ByteBuffer: CodedValue {
    /// The returned buffer shares its storage with the buffer that is being read.
    @inlinable
    package static func code(_ value: ByteBuffer?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ByteBuffer {
        guard let value else { return try fields.content() }
        fields.begin(value.readableBytes)
        fields.bytes.writeImmutableBuffer(value)
        return value
    }

    @inlinable
    package var fieldLength: Int? { readableBytes }
}

extension [UInt8]: CodedValue {
    @inlinable
    package static func code(_ value: [UInt8]?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> [UInt8] {
        guard let value else { return Array(try fields.content().readableBytesView) }
        fields.begin(value.count)
        fields.bytes.writeBytes(value)
        return value
    }

    @inlinable
    package var fieldLength: Int? { count }
}

extension String: CodedValue {
    @inlinable
    package static func code(_ value: String?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> String {
        guard let value else { return String(buffer: try fields.content()) }
        fields.begin(value.utf8.count)
        fields.bytes.writeString(value)
        return value
    }

    @inlinable
    package var fieldLength: Int? { utf8.count }
}

extension Identifier: CodedValue {
    @inlinable
    package static func code(_ value: Identifier?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Identifier {
        guard let value else { return Identifier(try String.code(nil, &fields)) }
        _ = try String.code(value.text, &fields)
        return value
    }

    @inlinable
    package var fieldLength: Int? { utf8.count }
}

extension Bool: CodedValue {
    @inlinable
    package static func code(_ value: Bool?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Bool {
        switch try UInt8.code(value.map { $0 ? 1 : 0 }, &fields) {
        case 0: return false
        case 1: return true
        default: throw ClusterCodingError()
        }
    }

    @inlinable
    package var fieldLength: Int? { 1 }
}

extension CodedValue where Self: FixedWidthInteger {
    /// Codes a number with the width of its type. A tagged field may have another width, so that the type of a field can become wider in
    /// later versions.
    @inlinable
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        if let value {
            fields.bytes.writeInteger(value)
            return value
        }
        guard fields.layout == .tagged, fields.bytes.readableBytes != bitWidth / 8 else {
            return try fields.number(as: Self.self)
        }
        return switch (fields.bytes.readableBytes, isSigned) {
        case (1, true): try converted(fields.number(as: Int8.self))
        case (1, false): try converted(fields.number(as: UInt8.self))
        case (2, true): try converted(fields.number(as: Int16.self))
        case (2, false): try converted(fields.number(as: UInt16.self))
        case (4, true): try converted(fields.number(as: Int32.self))
        case (4, false): try converted(fields.number(as: UInt32.self))
        case (8, true): try converted(fields.number(as: Int64.self))
        case (8, false): try converted(fields.number(as: UInt64.self))
        default: throw ClusterCodingError()
        }
    }

    @inlinable
    package var fieldLength: Int? { Self.bitWidth / 8 }

    @inlinable
    static func converted(_ number: some FixedWidthInteger) throws(ClusterCodingError) -> Self {
        guard let number = Self(exactly: number) else { throw ClusterCodingError() }
        return number
    }
}

extension UInt8: CodedValue {}
extension UInt16: CodedValue {}
extension UInt32: CodedValue {}
extension UInt64: CodedValue {}
extension Int32: CodedValue {}
extension Int64: CodedValue {}
/// An `Int` is coded with eight bytes, its width on every platform of the server.
extension Int: CodedValue {}

extension FieldCoder {
    /// Prepares for writing `length` bytes. In the sequence layout, this writes the length before the bytes. In the tagged layout it writes
    /// nothing, because the field's length has already been written.
    @inlinable
    mutating func begin(_ length: Int) {
        if layout == .sequence { bytes.writeInteger(UInt32(clamping: length)) }
    }

    /// Reads the bytes that follow their length (sequence layout), or all bytes of the field (tagged layout).
    @inlinable
    mutating func content() throws(ClusterCodingError) -> ByteBuffer {
        let length = layout == .tagged ? bytes.readableBytes : Int(try number(as: UInt32.self))
        guard let content = bytes.readSlice(length: length) else { throw ClusterCodingError() }
        return content
    }

    @inlinable
    mutating func number<Number: FixedWidthInteger>(as type: Number.Type) throws(ClusterCodingError) -> Number {
        guard let number = bytes.readInteger(as: type) else { throw ClusterCodingError() }
        return number
    }
}
