extension JSONScanner {
    /// The text from the byte offset `start` up to, not including, `end`.
    @inlinable @inline(__always)
    public func text(_ start: Int, _ end: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }

    /// The number that the decimal digits from `start` up to, not including, `end` form; nil for an empty range, for other characters and
    /// on overflow.
    public func wholeNumber(_ start: Int, _ end: Int) -> UInt64? {
        guard end > start else { return nil }
        var value: UInt64 = 0
        var offset = start
        // At most sixteen digits are read in words of eight. With up to three more digits, the number cannot overflow.
        while offset &+ 8 <= end, offset &- start < 16 {
            guard let digits = JSONBytes.eightDigits(JSONBytes.word(bytes, at: offset)) else { return nil }
            value = value &* 100_000_000 &+ digits
            offset &+= 8
        }
        while offset < end {
            let digit = bytes[offset] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, isTooLong) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooBig) = product.addingReportingOverflow(UInt64(digit))
            if isTooLong || isTooBig { return nil }
            value = sum
            offset &+= 1
        }
        return value
    }

    /// The unescaped text of a string that the scanner has checked.
    public func string(_ token: StringToken, scratch: inout [UInt8]) -> String {
        guard token.hasEscapes else { return text(token.start, token.end) }
        var scanner = self
        scanner.position = token.start - 1
        let unescaped = Result { () throws(JSONSyntaxError) in try scanner.unescapedString(scratch: &scratch) }
        // Unescaping cannot fail here, because the scanner has checked the string.
        return (try? unescaped.get()) ?? text(token.start, token.end)
    }

    /// Checks, unescapes and skips a string, in one pass.
    ///
    /// A string without escapes is copied once, directly into the result. Any other string is unescaped into `scratch`, eight bytes at a
    /// time, and copied from there, so that the result has the exact size.
    public mutating func unescapedString(scratch: inout [UInt8]) throws(JSONSyntaxError) -> String {
        try expect(JSONBytes.quote)
        let start = position
        let special = JSONBytes.firstSpecial(bytes, from: start)
        if special < bytes.count, bytes[special] == JSONBytes.quote {
            position = special &+ 1
            return text(start, special)
        }
        // The buffer is eight bytes longer than the rest of the text, because unescaped bytes are written eight at a time.
        let needed = bytes.count - start + 8
        if scratch.count < needed { scratch = [UInt8](repeating: 0, count: max(needed, 256)) }
        let result = scratch.withUnsafeMutableBytes { out -> Result<String, JSONSyntaxError> in
            do throws(JSONSyntaxError) {
                let length = try unescape(from: start, into: out)
                return .success(String(decoding: UnsafeRawBufferPointer(rebasing: out[..<length]), as: UTF8.self))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Unescapes the string that starts at `start` and skips it. `out` must be as long as the string, because unescaping never makes it
    /// longer.
    private mutating func unescape(
        from start: Int, into out: UnsafeMutableRawBufferPointer
    ) throws(JSONSyntaxError) -> Int {
        var written = 0
        position = start
        while true {
            while position &+ 8 <= bytes.count {
                out.storeBytes(
                    of: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self), toByteOffset: written, as: UInt64.self)
                let marks = JSONBytes.specials(JSONBytes.word(bytes, at: position))
                let run = marks == 0 ? 8 : marks.trailingZeroBitCount >> 3
                position &+= run
                written &+= run
                if marks != 0 { break }
            }
            while position < bytes.count, !JSONBytes.isSpecial(bytes[position]) {
                out[written] = bytes[position]
                position &+= 1
                written &+= 1
            }
            guard position < bytes.count else { throw JSONSyntaxError(.truncated, at: position) }
            switch bytes[position] {
            case JSONBytes.quote:
                position &+= 1
                return written
            case JSONBytes.backslash:
                if position &+ 1 < bytes.count, bytes[position &+ 1] == JSONBytes.quote {
                    out[written] = JSONBytes.quote
                    position &+= 2
                    written &+= 1
                } else {
                    for byte in UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter {
                        out[written] = byte
                        written &+= 1
                    }
                }
            default:
                throw JSONSyntaxError(.controlCharacter, at: position)
            }
        }
    }
}
