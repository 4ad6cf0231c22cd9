/// The field `traceparent` of a request, which identifies its trace (W3C Trace Context, 3.2).
package struct TraceParent: Hashable, Sendable {
    /// The id of the trace: 32 hexadecimal digits.
    package var traceID: String
    /// The id of the caller's span: 16 hexadecimal digits.
    package var spanID: String
    /// Whether the caller records the trace.
    package var isSampled: Bool

    package init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Parses the value of the field; nil for a value that has to be ignored, because its format is different or an id is zero. Later
    /// versions of the format may have further text after the flags.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, bytes[2] == UInt8(ascii: "-"), bytes[35] == UInt8(ascii: "-"), bytes[52] == UInt8(ascii: "-"),
            let version = Self.hexadecimal(bytes[0..<2]), let trace = Self.hexadecimal(bytes[3..<35]),
            let span = Self.hexadecimal(bytes[36..<52]), let flags = Self.hexadecimal(bytes[53..<55]),
            trace.contains(where: { $0 != "0" }), span.contains(where: { $0 != "0" }), version != "ff"
        else { return nil }
        guard version == "00" ? bytes.count == 55 : bytes.count == 55 || bytes[55] == UInt8(ascii: "-") else { return nil }
        self.init(traceID: trace, spanID: span, isSampled: (UInt8(flags, radix: 16) ?? 0) & 1 == 1)
    }

    package var text: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// Returns the text if all digits are hexadecimal and in lower case, as the standard requires; nil otherwise.
    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String? {
        let isValid = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isValid ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
