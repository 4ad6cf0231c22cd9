import NIOCore

/// One value of RESP3, the protocol of Redis 6 and later and of Valkey.
///
/// Bulk strings are slices of the received bytes. A slice keeps the whole read in memory, so copy a string before you store it for
/// a long time.
package enum RedisValue: Hashable, Sendable {
    case null
    /// A short text, such as `OK`.
    case simple(String)
    /// A string of any bytes, sent with its length.
    case bulk(ByteBuffer)
    case error(RedisErrorReply)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// An integer of any size, in decimal digits.
    case bigNumber(String)
    /// A text with the name of its format, which has three letters, such as `txt`.
    case verbatim(format: String, ByteBuffer)
    case array([RedisValue])
    case set([RedisValue])
    case map([RedisPair])
    /// A message that the server sends without a request, such as a published message. It is never an element of another value.
    case push([RedisValue])
}

/// One entry of a RESP3 map.
package struct RedisPair: Hashable, Sendable {
    package var key: RedisValue
    package var value: RedisValue

    package init(_ key: RedisValue, _ value: RedisValue) {
        self.key = key
        self.value = value
    }
}

extension RedisValue {
    /// The text of a string of any kind; invalid UTF-8 is repaired. Nil for other values.
    package var text: String? {
        switch self {
        case .simple(let text): text
        case .bulk(let bytes), .verbatim(_, let bytes): String(buffer: bytes)
        default: nil
        }
    }

    /// The bytes of a string of any kind; nil for other values.
    package var bytes: ByteBuffer? {
        switch self {
        case .simple(let text): ByteBuffer(string: text)
        case .bulk(let bytes), .verbatim(_, let bytes): bytes
        default: nil
        }
    }

    /// The number of an integer, or of a string of decimal digits; nil for other values.
    package var number: Int64? {
        if case .integer(let number) = self { return number }
        return text.flatMap { Int64($0) }
    }

    /// The elements of an array, a set or a push; nil for other values.
    package var elements: [RedisValue]? {
        switch self {
        case .array(let elements), .set(let elements), .push(let elements): elements
        default: nil
        }
    }

    /// The value under a string key of a map. Nil if the map has no such key, and for values that are no maps.
    package subscript(key: String) -> RedisValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key.text == key }?.value
    }
}
