/// Finds the lines of a configuration file on which its settings are written.
enum JSONLines {
    /// The line numbers of the members of an object, or of the elements of a list, in their order.
    ///
    /// - Parameters:
    ///   - text: an object or a list that is valid JSON.
    ///   - first: the number of the line on which `text` begins.
    static func children(of text: String, from first: Int) -> [Int] {
        var lines: [Int] = []
        var line = first
        var depth = 0
        var isInString = false
        var isEscaped = false
        // Whether the next byte that is not white space begins a member's key or an element of a list.
        var isAwaiting = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            if byte <= 0x20 { continue }
            let isEnd = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            if isAwaiting, !isEnd { lines.append(line) }
            isAwaiting = false
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isAwaiting = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isAwaiting = depth == 1
            default: break
            }
        }
        return lines
    }

    /// The number of the line that contains a byte of a text. The first line has the number 1.
    static func line(of offset: Int, in bytes: [UInt8]) -> Int {
        1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }
}
