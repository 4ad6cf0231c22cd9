/// Percent-encoding by RFC 3986: all bytes except the unreserved characters are escaped.
public enum PercentEncoding {
    /// Encodes `text` for any part of a URL: letters, digits, `-`, `.`, `_` and `~` stay, and every other byte becomes `%XX`.
    public static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count + 16)
        append(text.utf8, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends escaped bytes.
    @inlinable
    public static func append(_ bytes: some Sequence<UInt8>, to out: inout [UInt8]) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { append(contentsOf: $0, to: &out) }
        if isDone == nil { for byte in bytes { append(byte, to: &out) } }
    }

    /// Appends escaped bytes. Unreserved bytes are appended in runs, because nearly all bytes are unreserved.
    @usableFromInline
    static func append(contentsOf bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
        var rest = bytes[...]
        while true {
            let kept = rest.prefix(while: isUnreserved)
            out.append(contentsOf: kept)
            rest = rest.dropFirst(kept.count)
            guard let byte = rest.popFirst() else { return }
            append(byte, to: &out)
        }
    }

    @usableFromInline
    static func append(_ byte: UInt8, to out: inout [UInt8]) {
        if isUnreserved(byte) {
            out.append(byte)
        } else {
            out.append(UInt8(ascii: "%"))
            out.append(digit(byte >> 4))
            out.append(digit(byte & 0x0F))
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
