import ChatServer
import ConnectionEngine
import Identifiers
import Testing

@Suite("Names of conversations (CH-1, CH-2)")
struct ChatConversationTests {
    static let ids: [Identifier] = [
        "a", "b", "ab", ":", "a:b", "direct:a", " ", "é", "e\u{301}", "日本", "👩‍👩‍👧", "a/b", "\"", "\u{FFFF}",
    ]

    @Test("Both sides of a direct conversation give it the same key")
    func symmetric() {
        for a in Self.ids {
            for b in Self.ids {
                let key = ChatConversation.key(.direct, of: a, and: b)
                #expect(Array(key.utf8) == Array(ChatConversation.key(.direct, of: b, and: a).utf8))
            }
        }
    }

    @Test("No two conversations share a key, byte by byte")
    func unambiguous() {
        var seen: [[UInt8]: String] = [:]
        func add(_ key: Identifier, _ what: String) {
            let former = seen.updateValue(what, forKey: Array(key.utf8))
            #expect(former == nil || former == what, "\(what) and \(former ?? "")")
        }
        for (x, a) in Self.ids.enumerated() {
            add(ChatConversation.key(.group, of: a), "group \(x)")
            add(ChatConversation.key(.open, of: a), "open \(x)")
            for (y, b) in Self.ids.enumerated() {
                add(ChatConversation.key(.direct, of: a, and: b), "direct \(min(x, y)) \(max(x, y))")
                add(ChatConversation.key(.system, of: a, and: b), "system \(x) \(y)")
            }
        }
    }

    @Test("Ids have 1 to 64 characters, and no control characters")
    func ids() {
        for id in Self.ids { #expect(ChatID.isValid(id)) }
        #expect(ChatID.isValid(Identifier(String(repeating: "日", count: 64))))
        for id in ["", "a\u{0}", "a\u{1F}b", "\n", "\u{7F}", "\u{85}", String(repeating: "x", count: 65)] {
            #expect(!ChatID.isValid(Identifier(id)))
        }
    }
}
