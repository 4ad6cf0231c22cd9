import WireCoding

/// Decodes percent-encoding, which channel names have as keys of answers (rule PL-26).
enum PercentDecoding {
    /// The decoded text; the original text when an escape is incomplete or the bytes are not UTF-8.
    static func text(_ encoded: String) -> String {
        guard encoded.utf8.contains(UInt8(ascii: "%")) else { return encoded }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.utf8.count)
        var rest = encoded.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else { return encoded }
            bytes.append(high << 4 | low)
        }
        guard bytes.withUnsafeBytes({ JSONBytes.firstInvalidUTF8($0) }) == nil else { return encoded }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
