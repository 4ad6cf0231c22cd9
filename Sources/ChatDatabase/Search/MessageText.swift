import Identifiers
import WireCoding

/// The parts of a message's content that the database uses: the words to search for, and the mentioned users.
struct MessageText {
    /// The text for the index of words; nil for a message without text.
    var words: String?
    private var mention: Mention?

    private struct Mention {
        var isAll: Bool
        var users: [String]
    }

    /// The number of bytes of a text that are indexed. Further text cannot be found.
    static let limit = 16_384

    /// A content that is not a JSON object has neither words nor mentions.
    init(_ type: String, _ content: [UInt8]) {
        let members = Self.members(of: type)
        content.withUnsafeBytes { bytes in
            do throws(JSONSyntaxError) {
                try read(bytes, members)
            } catch {
                words = nil
                mention = nil
            }
        }
    }

    /// The members that contain text, for a message type. For types of applications, these are members with the usual names. Thumbnails and
    /// commands contain no text.
    private static func members(of type: String) -> [StaticString] {
        switch type {
        case "RC:TxtMsg", "RC:ReferenceMsg": ["content"]
        case "RC:FileMsg", "RC:SightMsg": ["name"]
        case "RC:LBSMsg": ["poi"]
        case _ where type.hasBytePrefix("RC:"): []
        default: ["content", "text", "title", "name"]
        }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer, _ members: [StaticString]) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        try scanner.expect(UInt8(ascii: "{"))
        if try scanner.skip(UInt8(ascii: "}")) { return }
        var scratch: [UInt8] = []
        var text = ""
        repeat {
            let key = try scanner.string()
            try scanner.expect(UInt8(ascii: ":"))
            let value = try scanner.value()
            let name = bytes.clampedBytes(from: key.start, to: key.end)
            if value.kind == .string, members.contains(where: { Self.isEqual(name, $0) }) {
                var part = JSONScanner(bytes)
                part.position = value.start
                if !text.isEmpty { text += "\n" }
                text += try part.unescapedString(scratch: &scratch)
            } else if value.kind == .object, Self.isEqual(name, "mentionedInfo") {
                mention = Self.mention(JSONText(checked: scanner.text(value.start, value.end)))
            }
        } while try !scanner.endOfObject()
        if !text.isEmpty { words = Words.separated(text, limit: Self.limit) }
    }

    private static func isEqual(_ name: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func mention(_ info: JSONText) -> Mention? {
        switch info["type"]?.integer {
        case 1: Mention(isAll: true, users: [])
        case 2: Mention(isAll: false, users: (info["userIdList"]?.elements ?? []).compactMap(\.string))
        default: nil
        }
    }

    func mentions(_ user: String) -> Bool {
        guard let mention else { return false }
        return mention.isAll || mention.users.contains { $0.isExactly(user) }
    }
}
