/// Reads CBOR strictly: every length is checked against the remaining bytes, nesting is limited, and trailing bytes are refused.
struct CBORReader {
    /// The maximum depth of nested arrays and maps. Access tokens have fewer levels.
    static let maximumDepth = 16

    private var rest: ArraySlice<UInt8>

    static func read(_ bytes: [UInt8]) throws(PubNubAccessTokenError) -> CBORValue {
        var reader = CBORReader(rest: bytes[...])
        let value = try reader.value(depth: 0)
        guard reader.rest.isEmpty else { throw .malformed }
        return value
    }

    private mutating func value(depth: Int) throws(PubNubAccessTokenError) -> CBORValue {
        guard depth <= Self.maximumDepth, let first = rest.popFirst() else { throw .malformed }
        let information = first & 0x1F
        if first >> 5 == 7 { return try simple(information) }
        let head = try head(information)
        switch first >> 5 {
        case 0: return .unsigned(head)
        case 1: return .negative(head)
        case 2: return .bytes(Array(try take(head)))
        case 3:
            guard let text = CBORValue.text(try take(head)) else { throw .malformed }
            return .text(text)
        case 4:
            var elements: [CBORValue] = []
            for _ in 0..<(try count(head, itemsEach: 1)) { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case 5:
            var pairs: [CBORValue.Pair] = []
            // Keys are compared by their bytes, because Swift counts some texts with different bytes as equal.
            var keys: Set<[UInt8]> = []
            for _ in 0..<(try count(head, itemsEach: 2)) {
                let key = try value(depth: depth + 1)
                var bytes: [UInt8] = []
                key.append(to: &bytes)
                guard keys.insert(bytes).inserted else { throw .malformed }
                pairs.append(CBORValue.Pair(key: key, value: try value(depth: depth + 1)))
            }
            return .map(pairs)
        default: throw .malformed
        }
    }

    private mutating func head(_ information: UInt8) throws(PubNubAccessTokenError) -> UInt64 {
        switch information {
        case 0..<24: UInt64(information)
        case 24...27: try number(size: 1 << (information - 24))
        default: throw .malformed
        }
    }

    private mutating func number(size: Int) throws(PubNubAccessTokenError) -> UInt64 {
        try take(UInt64(size)).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: UInt64) throws(PubNubAccessTokenError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw .malformed }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    /// Every item needs at least one byte, so an array or map with more items than remaining bytes is an error.
    private func count(_ head: UInt64, itemsEach: UInt64) throws(PubNubAccessTokenError) -> Int {
        guard head <= UInt64(rest.count) / itemsEach else { throw .malformed }
        return Int(head)
    }

    private mutating func simple(_ information: UInt8) throws(PubNubAccessTokenError) -> CBORValue {
        switch information {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22, 23: .null
        case 26: .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try number(size: 4)))))
        case 27: .double(Double(bitPattern: try number(size: 8)))
        default: throw .malformed
        }
    }
}
