import HubStorage
import Identifiers
import ServerStorage

enum ChatStoreKind: CaseIterable, Sendable {
    case memory, sqlite

    func open(_ scratch: Scratch, _ ticks: TestTicks, inboxEntries: Int = 20_000) throws -> any ChatStore {
        switch self {
        case .memory: InMemoryChatStore(limits: MemoryLimits(inboxEntries: inboxEntries), now: { ticks.now })
        case .sqlite: try SQLiteChatStore(directory: scratch.path, inboxEntries: inboxEntries, now: { ticks.now })
        }
    }
}

func chatEvent(
    _ id: UInt64, _ conversation: Identifier? = "room", from sender: Identifier = "ann", clientID: Identifier? = nil,
    body: String? = nil
) -> ChatEvent {
    ChatEvent(
        id: id, conversation: conversation, sender: sender, clientID: clientID, body: Array((body ?? "{\"id\":\(id)}").utf8),
        audience: 2)
}

extension ChatCommit {
    /// An event for some inboxes.
    init(_ event: ChatEvent, to places: [(Identifier, UInt64)] = []) {
        self.init()
        additions = [Addition(event, places: places.map { ChatInboxPlace(user: $0.0, sequence: $0.1) })]
    }

    static func with(_ change: (inout ChatCommit) -> Void) -> ChatCommit {
        var commit = ChatCommit()
        change(&commit)
        return commit
    }
}

extension ChatStore {
    /// Commits and waits for the outcome.
    func commit(_ commit: ChatCommit, application: String = "app") async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            self.commit(commit, application: application) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    func bodies(of user: Identifier, after sequence: UInt64 = 0, limit: Int = 200) async throws -> [String] {
        try await inbox(of: user, after: sequence, limit: limit, application: "app")
            .map { "\($0.sequence) \(String(decoding: $0.body, as: UTF8.self))" }
    }

    func ids(_ query: ChatHistoryQuery) async throws -> [UInt64] {
        try await history(query, application: "app").map(\.id)
    }

    func ids(of conversation: Identifier = "room", viewer: Identifier? = nil) async throws -> [UInt64] {
        try await ids(ChatHistoryQuery(conversation: conversation, isOldestFirst: true, limit: 10_000, viewer: viewer))
    }
}
