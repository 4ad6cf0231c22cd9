/// Decodes percent escapes in parts of a URL.
package enum PercentDecoding {
    /// Decodes the percent escapes of a text.
    ///
    /// - Parameter plusIsSpace: whether a plus sign means a space, as in queries.
    /// - Returns: nil when an escape is malformed or the result is not UTF-8.
    package static func decode(_ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool) -> String? {
        let isPlain = !bytes.contains { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) }
        if isPlain { return text(bytes) }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.element(at: index).flatMap(digit), let low = bytes.element(at: index + 1).flatMap(digit)
                else { return nil }
                out.append(high << 4 | low)
                index += 2
            } else {
                out.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return out.withUnsafeBytes { text($0) }
    }

    /// The decoded text, or `text` itself when an escape is malformed or the result is not UTF-8. Plus signs are not changed.
    package static func decodeOrKeep(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return Array(text.utf8).withUnsafeBytes { decode($0, plusIsSpace: false) } ?? text
    }

    /// The text if the bytes are UTF-8; otherwise nil. The standard library's own check requires newer Apple systems than this package
    /// does.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        JSONBytes.firstInvalidUTF8(bytes) == nil ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
