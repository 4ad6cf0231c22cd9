import WireCoding

/// A value of CBOR (RFC 8949), limited to the forms that access tokens use: without tags and indefinite lengths.
enum CBORValue: Hashable, Sendable {
    case unsigned(UInt64)
    /// A negative number: -1 minus the associated value.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// A map, with its pairs in the order in which they are encoded.
    case map([Pair])
    case bool(Bool)
    case null
    case double(Double)

    struct Pair: Hashable, Sendable {
        var key: CBORValue
        var value: CBORValue
    }

    init(_ integer: Int) {
        self = integer >= 0 ? .unsigned(UInt64(integer)) : .negative(UInt64(bitPattern: Int64(-1 - integer)))
    }

    /// The number as an `Int`; nil for other values and for numbers out of range.
    var integer: Int? {
        switch self {
        case .unsigned(let value): Int(exactly: value)
        case .negative(let value): Int(exactly: value).map { -1 - $0 }
        default: nil
        }
    }

    /// The value as the name of a map's key: a text, or bytes in UTF-8. Access tokens encode their fixed keys as bytes.
    var name: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): Self.text(bytes[...])
        default: nil
        }
    }

    /// Decodes bytes as text; nil when they are not UTF-8.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let invalid = bytes.withUnsafeBytes { JSONBytes.firstInvalidUTF8($0) }
        return invalid == nil ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The value of a key in this map; nil when the key is missing or this value is not a map.
    subscript(name: String) -> CBORValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key.name == name }?.value
    }

    /// Appends the CBOR encoding of the value in its shortest form.
    func append(to out: inout [UInt8]) {
        switch self {
        case .unsigned(let value): Self.appendHead(0, value, to: &out)
        case .negative(let value): Self.appendHead(1, value, to: &out)
        case .bytes(let bytes):
            Self.appendHead(2, UInt64(bytes.count), to: &out)
            out += bytes
        case .text(let text):
            Self.appendHead(3, UInt64(text.utf8.count), to: &out)
            out += text.utf8
        case .array(let elements):
            Self.appendHead(4, UInt64(elements.count), to: &out)
            for element in elements { element.append(to: &out) }
        case .map(let pairs):
            Self.appendHead(5, UInt64(pairs.count), to: &out)
            for pair in pairs {
                pair.key.append(to: &out)
                pair.value.append(to: &out)
            }
        case .bool(let value): out.append(value ? 0xF5 : 0xF4)
        case .null: out.append(0xF6)
        case .double(let value):
            out.append(0xFB)
            Self.append(value.bitPattern, size: 8, to: &out)
        }
    }

    private static func appendHead(_ major: UInt8, _ value: UInt64, to out: inout [UInt8]) {
        switch value {
        case 0..<24: out.append(major << 5 | UInt8(value))
        case 0...0xFF:
            out.append(major << 5 | 24)
            append(value, size: 1, to: &out)
        case 0...0xFFFF:
            out.append(major << 5 | 25)
            append(value, size: 2, to: &out)
        case 0...0xFFFF_FFFF:
            out.append(major << 5 | 26)
            append(value, size: 4, to: &out)
        default:
            out.append(major << 5 | 27)
            append(value, size: 8, to: &out)
        }
    }

    private static func append(_ value: UInt64, size: Int, to out: inout [UInt8]) {
        for shift in stride(from: (size - 1) * 8, through: 0, by: -8) { out.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
