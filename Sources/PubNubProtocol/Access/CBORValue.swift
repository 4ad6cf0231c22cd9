import WireCoding

/// The part of CBOR (RFC 8949) that access tokens use: no tags and no indefinite lengths.
enum CBORValue: Hashable, Sendable {
    case unsigned(UInt64)
    /// The number -1 - value.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// The pairs in the order in which they are encoded.
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

    /// The number as an `Int`, if it is in range.
    var integer: Int? {
        switch self {
        case .unsigned(let value): Int(exactly: value)
        case .negative(let value): Int(exactly: value).map { -1 - $0 }
        default: nil
        }
    }

    /// A name: a text, or bytes, in which the token's fixed keys are encoded.
    var name: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): Self.text(bytes[...])
        default: nil
        }
    }

    /// Bytes as text; nil when they are not UTF-8.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let invalid = bytes.withUnsafeBytes { JSONBytes.firstInvalidUTF8($0) }
        return invalid == nil ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The value of a key.
    subscript(name: String) -> CBORValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key.name == name }?.value
    }

    /// Appends the value in its shortest form.
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
