import Crypto

/// The key of an opening handshake, and the value that proves that the server has processed it (RFC 6455, 4.1 and 4.2.2).
public struct WebSocketKey: Hashable, Sendable {
    /// The value of `Sec-WebSocket-Key`: 16 bytes in base64.
    public let value: String

    /// A new key.
    public init(using random: inout some RandomNumberGenerator) {
        let high: UInt64 = random.next()
        let low: UInt64 = random.next()
        var bytes: [UInt8] = []
        for word in [high, low] {
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        value = Base64.encode(bytes)
    }

    /// Makes a key from the value that a client sent; nil when it is not the base64 of 16 bytes.
    public init?(_ value: some StringProtocol) {
        let text = value.utf8
        guard text.count == 24, text.suffix(2).allSatisfy({ $0 == UInt8(ascii: "=") }),
            text.dropLast(2).allSatisfy(Base64.isDigit)
        else { return nil }
        self.value = String(value)
    }

    /// The value of `Sec-WebSocket-Accept` that a server must send for this key.
    public var accept: String {
        let digest = Insecure.SHA1.hash(data: Array((value + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Base64.encode(Array(digest))
    }
}

/// Base64 for short values, without Foundation (RFC 4648, 4).
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            // in bounds: `start` is below the count, and the end is limited to it.
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for (place, byte) in group.enumerated() { bits |= UInt32(byte) << UInt32(16 - 8 * place) }
            for place in 0..<4 {
                let digit = digits[Int(bits >> UInt32(18 - 6 * place) & 63)]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
