import HubStorage
import ServerStorage
import StoreConformance
import Testing

/// What every store does, whatever it is made of.
@Suite("Rules of stores (HB-29, HB-40 to HB-49, CT-1 to CT-8)")
struct ConformanceTests {
    enum Kind: CaseIterable, Sendable {
        case memory, sqlite
    }

    private let scratch = Scratch()

    @Test("Message stores", arguments: Kind.allCases, MessageStoreRule.allCases)
    func messages(kind: Kind, rule: MessageStoreRule) async {
        let path = scratch.path
        await #expect(throws: Never.self) {
            try await rule.check { place in
                switch kind {
                case .memory: InMemoryMessageStore(now: place.now)
                case .sqlite: try SQLiteMessageStore(place, in: path)
                }
            }
        }
    }

    @Test("Chat stores", arguments: Kind.allCases, ChatStoreRule.allCases)
    func chat(kind: Kind, rule: ChatStoreRule) async {
        let path = scratch.path
        await #expect(throws: Never.self) {
            try await rule.check { place in
                switch kind {
                case .memory: InMemoryChatStore(now: place.now)
                case .sqlite: try SQLiteChatStore(directory: path + "/" + place.name, now: place.now)
                }
            }
        }
    }

    @Test("All rules of a kind can be checked in one call")
    func together() async {
        await #expect(throws: Never.self) {
            try await StoreConformance.messageStore { place in InMemoryMessageStore(now: place.now) }
            try await StoreConformance.chatStore { place in InMemoryChatStore(now: place.now) }
        }
    }
}

extension SQLiteMessageStore {
    /// A store as rules want it.
    convenience init(_ place: StorePlace, in path: String, restoredBytes: Int? = nil) throws {
        let settings = StoreSettings(recentBytes: restoredBytes ?? place.restoredBytes)
        try self.init(directory: path + "/" + place.name, settings: settings, now: place.now)
    }
}
