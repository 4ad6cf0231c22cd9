/// Appends JSON text to byte arrays.
public enum JSONWriter {
    /// Appends `text` as a JSON string with its quotes.
    ///
    /// Only quotes, backslashes and control characters are escaped; `/` stays as it is.
    public static func appendString(_ text: String, to out: inout [UInt8]) {
        let written: Void? = text.utf8.withContiguousStorageIfAvailable {
            appendString(UnsafeRawBufferPointer($0), to: &out)
        }
        if written == nil { appendString(Array(text.utf8), to: &out) }
    }

    /// Appends text, given as UTF-8 bytes, as a JSON string with its quotes.
    public static func appendString(_ text: [UInt8], to out: inout [UInt8]) {
        text.withUnsafeBytes { appendString($0, to: &out) }
    }

    public static func appendString(_ text: UnsafeRawBufferPointer, to out: inout [UInt8]) {
        out.append(JSONBytes.quote)
        var start = 0
        while start < text.count {
            let special = JSONBytes.firstSpecial(text, from: start)
            if special > start { out.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<special])) }
            if special < text.count { appendEscape(of: text[special], to: &out) }
            start = special + 1
        }
        out.append(JSONBytes.quote)
    }

    /// Returns `text` as a JSON string with its quotes.
    public static func string(_ text: String) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count + 16)
        appendString(text, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends an integer.
    public static func append(_ number: Int, to out: inout [UInt8]) {
        if number < 0 { out.append(UInt8(ascii: "-")) }
        append(UInt64(number.magnitude), to: &out)
    }

    /// Appends an integer in decimal digits, without allocating memory.
    public static func append(_ number: UInt64, to out: inout [UInt8]) {
        var rest = number
        // A 64-bit integer has at most 20 digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            repeat {
                start -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                digits.initializeElement(at: start, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
                rest = quotient
            } while rest > 0
            out.append(contentsOf: digits[start...])
        }
    }

    /// Appends a constant text that is already JSON.
    @inlinable @inline(__always)
    public static func append(_ json: StaticString, to out: inout [UInt8]) {
        out.append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    private static func appendEscape(of byte: UInt8, to out: inout [UInt8]) {
        out.append(JSONBytes.backslash)
        switch byte {
        case JSONBytes.quote, JSONBytes.backslash: out.append(byte)
        case 0x08: out.append(UInt8(ascii: "b"))
        case 0x09: out.append(UInt8(ascii: "t"))
        case 0x0A: out.append(UInt8(ascii: "n"))
        case 0x0C: out.append(UInt8(ascii: "f"))
        case 0x0D: out.append(UInt8(ascii: "r"))
        default:
            append("u00", to: &out)
            let low = byte & 0x0F
            out.append(UInt8(ascii: "0") + byte >> 4)
            out.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }
}
