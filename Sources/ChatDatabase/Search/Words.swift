import Identifiers

/// Splits text into words, in the same way for messages and keywords (rules CD-30 to CD-33).
///
/// The index itself splits at characters that are not letters, digits or symbols, and ignores case and accents. Characters of scripts
/// without spaces between words, pictographs, and signs such as `+` and `€` are separated here, so that each is a word. So any part of a
/// Chinese text can be found as a phrase, and `C++` can be found.
enum Words {
    /// The text with spaces around characters that are separate words, shortened to `limit` bytes.
    static func separated(_ text: String, limit: Int = .max) -> String {
        // Most texts have no characters that are separate words, and are returned unchanged.
        let isShort = text.utf8.count <= limit
        if isShort, !text.utf8.contains(where: { $0 >= 0xC2 || isSign($0) }) { return text }
        var out = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            if isAlone(scalar) {
                out.append(" ")
                out.append(scalar)
                out.append(" ")
            } else {
                out.append(scalar)
            }
        }
        return String(out)
    }

    /// Whether a character is a word by itself, such as a Chinese character or a pictograph.
    static func isAlone(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x80: isSign(UInt8(truncatingIfNeeded: scalar.value))
        // Scripts without spaces between words: Thai and Lao; Myanmar; Khmer.
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
        // Blocks whose characters are words by themselves: symbols; radicals and kana; ideographs; compatibility ideographs; half-width
        // kana.
        case 0x2600...0x27BF, 0x2E80...0x312F, 0x31A0...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9D: true
        // Pictographs; further ideographs.
        case 0x1F000...0x1FAFF, 0x20000...0x3FFFF: true
        default: scalar.properties.generalCategory == .mathSymbol || scalar.properties.generalCategory == .currencySymbol
        }
    }

    /// Whether an ASCII character is a word by itself, such as `+` and `#`.
    private static func isSign(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "+"), UInt8(ascii: "<"),
            UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "@"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The search expression of the index for a keyword; nil when the keyword has no word.
    ///
    /// The parts of the keyword are separated by spaces, and a message must contain each part as a phrase. The last word may be the
    /// beginning of a longer word, unless it is a sign.
    static func expression(_ keyword: String) -> String? {
        let parts = parts(of: keyword)
        guard let last = parts.last else { return nil }
        // A quote would end the phrase, and a zero byte the whole expression. Neither can be part of a word, so both become spaces.
        let phrases = parts.map { part in
            let text = separated(String(part)).replacing(byte: UInt8(ascii: "\""), with: " ").replacing(byte: 0, with: " ")
            return "\"\(text)\""
        }
        return phrases.joined(separator: " AND ") + (tail(of: last).isEmpty ? "" : "*")
    }

    /// Whether the index can list the messages of a keyword page by page, from any position. It cannot if the last word of the keyword is
    /// longer than the prefixes in the index. Each query then computes its result from the beginning.
    static func isStreamed(_ keyword: String) -> Bool {
        parts(of: keyword).last.map { tail(of: $0).count <= 3 } ?? true
    }

    private static func parts(of keyword: String) -> [Substring] {
        keyword.split(whereSeparator: \.isWhitespace).filter { $0.unicodeScalars.contains(where: isWord) }
    }

    /// The letters of the last word; empty when the last word is a sign.
    private static func tail(of part: Substring) -> [Unicode.Scalar] {
        let last = part.unicodeScalars.reversed().drop { !isWord($0) }
        return Array(last.prefix { isWord($0) && !isAlone($0) })
    }

    /// Whether the index stores a character as part of a word.
    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber, .privateUse, .otherSymbol, .mathSymbol, .currencySymbol:
            true
        default: isAlone(scalar)
        }
    }
}

/// Keys of the index of words. A key contains the channel and the slot in one number. So the keys of a channel's messages are one range, in
/// the order of the messages' times.
enum WordKey {
    static let slotBits: Int64 = 42
    /// The last slot (millisecond) that the index can have, in the year 2109.
    static let lastSlot: Int64 = 1 << slotBits - 1
    /// The number of slots before ``lastSlot`` that no message gets for its own time. They stay free for messages whose own slot is taken
    /// by a message with the same time.
    static let room: Int64 = 1 << 20
    static let lastChannel: Int64 = 1 << 20

    static func key(_ channel: Int64, _ slot: Int64) -> Int64 { channel << slotBits | slot }
    static func channel(_ key: Int64) -> Int64 { key >> slotBits }
    static func slot(_ key: Int64) -> Int64 { key & lastSlot }
}
