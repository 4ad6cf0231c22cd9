import WireCoding

/// Finds the sequence number of a package's element that is not valid JSON (rule NC-41).
enum ChatPlaceScan {
    /// The number of the key `q`, which servers write at the beginning of an element; nil if it is not there.
    static func number(in element: UnsafeRawBufferPointer) -> UInt64? {
        var scanner = JSONScanner(element)
        do throws(JSONSyntaxError) {
            try scanner.expect(UInt8(ascii: "{"))
            _ = try scanner.peek()
            let key = try scanner.string()
            guard key.end - key.start == 1, element[key.start] == UInt8(ascii: "q") else { return nil }
            try scanner.expect(UInt8(ascii: ":"))
            let value = try scanner.value()
            return scanner.wholeNumber(value.start, value.end)
        } catch {
            return nil
        }
    }
}
