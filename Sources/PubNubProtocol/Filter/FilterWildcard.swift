/// The compiled pattern of LIKE: the texts between the wildcards. Matching takes time proportional to the length of the compared text (rule
/// PF-12).
struct FilterWildcard: Hashable, Sendable {
    private let pieces: [FilterNeedle]
    private let isOpenAtStart: Bool
    private let isOpenAtEnd: Bool

    /// - Parameter pattern: the pattern. `*` stands for any text, `\*` for an asterisk.
    init(_ pattern: String) {
        var texts: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in pattern.lowercased().utf8 {
            switch byte {
            case UInt8(ascii: "\\") where !isEscaped:
                isEscaped = true
                continue
            case UInt8(ascii: "*") where !isEscaped:
                texts.append([])
            default:
                // in bounds: `texts` always has at least one element.
                texts[texts.count - 1].append(byte)
            }
            isEscaped = false
        }
        isOpenAtStart = texts.count > 1 && texts[0].isEmpty
        isOpenAtEnd = texts.count > 1 && texts[texts.count - 1].isEmpty
        pieces = texts.filter { !$0.isEmpty }.map { FilterNeedle($0) }
    }

    /// Whether the pattern matches the whole text. Letter case is ignored.
    func matches(_ text: String) -> Bool {
        let bytes = Array(text.lowercased().utf8)
        var rest = bytes[...]
        var middle = pieces[...]
        if !isOpenAtStart {
            guard let first = middle.popFirst() else { return bytes.isEmpty }
            guard rest.starts(with: first.bytes) else { return false }
            rest = rest.dropFirst(first.bytes.count)
            if middle.isEmpty { return isOpenAtEnd || rest.isEmpty }
        }
        let last = isOpenAtEnd ? nil : middle.popLast()
        for piece in middle {
            guard let end = piece.end(in: rest) else { return false }
            // in bounds: `end` is the end of a piece that was found in `rest`.
            rest = rest[end...]
        }
        guard let last else { return true }
        return rest.count >= last.bytes.count && rest.suffix(last.bytes.count).elementsEqual(last.bytes)
    }
}

/// A text that is searched for with the algorithm of Knuth, Morris and Pratt, which takes linear time for every text.
struct FilterNeedle: Hashable, Sendable {
    let bytes: [UInt8]
    /// At index n: the length of the partial match to continue with when a match of n + 1 bytes cannot be extended.
    private let fallbacks: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var fallbacks = [Int](repeating: 0, count: bytes.count)
        var matched = 0
        for index in bytes.indices.dropFirst() {
            while matched > 0, bytes[index] != bytes[matched] { matched = fallbacks[matched - 1] }
            if bytes[index] == bytes[matched] { matched += 1 }
            fallbacks[index] = matched
        }
        self.fallbacks = fallbacks
    }

    /// The index after the first occurrence in `text`; nil when there is none.
    func end(in text: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return text.startIndex }
        // The loop accesses the bytes without index checks, because filters of long texts spend most of their time in this loop.
        let length: Int? = text.withUnsafeBufferPointer { text in
            bytes.withUnsafeBufferPointer { bytes in
                fallbacks.withUnsafeBufferPointer { fallbacks in
                    var matched = 0
                    for index in text.indices {
                        while matched > 0, text[index] != bytes[matched] { matched = fallbacks[matched - 1] }
                        if text[index] == bytes[matched] { matched += 1 }
                        if matched == bytes.count { return index + 1 }
                    }
                    return nil
                }
            }
        }
        return length.map { text.startIndex + $0 }
    }
}
