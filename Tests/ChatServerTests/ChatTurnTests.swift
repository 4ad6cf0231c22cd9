import ChatProtocol
import HubStorage
import Identifiers
import Logging
import NIOConcurrencyHelpers
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// A store that counts what is read of single messages.
private final class CountingStore: ChatStore {
    private let memory = InMemoryChatStore()
    let reads = NIOLockedValueBox(0)

    func restore() async throws -> RestoredChat { try await memory.restore() }

    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        memory.commit(commit, application: application, completion: completion)
    }

    func reserve(idsUpTo limit: UInt64) async throws {}

    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry] {
        try await memory.inbox(of: user, after: sequence, limit: limit, application: application)
    }

    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        reads.withLockedValue { $0 += 1 }
        return try await memory.history(query, application: application)
    }

    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        reads.withLockedValue { $0 += 1 }
        return try await memory.event(id, in: conversation, application: application)
    }

    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        reads.withLockedValue { $0 += 1 }
        return try await memory.receipts(of: ids, application: application)
    }

    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {}

    func close() async {}
}

@Suite("Strangers hold up nobody (NV-21)")
struct ChatTurnTests {
    private let store = CountingStore()

    private func application() async throws -> ServedChatApplication {
        let storage = ChatStorage(
            store: store, restored: try await store.restore(), unixTicks: ServerClock.systemTicks)
        let application = ServedChatApplication(
            settings: .development, number: 0, storage: storage, restored: .init(), clock: .system,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await application.changed { state, change in
            _ = try state.createGroup(
                ChatDocument.Group(id: "g", name: "g", owner: "ann"), users: ["mute"], by: .user("ann"), at: change.now,
                into: &change.commit)
            try state.muteInGroup("g", users: ["mute"], at: change.now, into: &change.commit)
            _ = try state.createOpenChannel("o", at: change.now, into: &change.commit)
            try state.block(["eve"], by: "ann", into: &change.commit)
        }
        return application
    }

    private func caller(_ user: Identifier) -> ChatCaller {
        .session(
            ChatSessionPeer(
                session: "s", user: user, device: ChatDevice(id: "d", class: .mobile, system: "x"), address: "",
                chat: ChatSessionID(id: 1, eventLoopID: 0), line: nil))
    }

    /// Requests that are refused whatever message they name, the caller, and the code.
    private static let refused: [(ChatRequest, Identifier, Int)] = {
        let ids = (1...100).map { ChatMessageID(rawValue: $0) }
        func target(_ kind: ChatConversationKind, _ to: String) -> ChatMessageTarget {
            ChatMessageTarget(kind, to: to, id: ids[0])
        }
        let edit = Array("{}".utf8)
        return [
            (.sendReceipt(.group, to: "g", ids: ids), "eve", 22_406), (.receipts(.group, to: "g", ids: ids), "eve", 22_406),
            (.receiptUsers(target(.group, "g")), "eve", 22_406), (.recall(target(.group, "g")), "eve", 22_406),
            (.edit(target(.group, "g"), content: edit), "eve", 22_406),
            (.changeMetadata(target(.group, "g"), set: ["k": "v"], delete: []), "eve", 22_406),
            (.edit(target(.group, "g"), content: edit), "mute", 22_408),
            (.changeMetadata(target(.group, "g"), set: ["k": "v"], delete: []), "mute", 22_408),
            (.recall(target(.open, "o")), "eve", 23_406), (.edit(target(.open, "o"), content: edit), "eve", 23_406),
            (.sendReceipt(.direct, to: "ann", ids: ids), "eve", 405), (.edit(target(.direct, "ann"), content: edit), "eve", 405),
            (.changeMetadata(target(.direct, "ann"), set: ["k": "v"], delete: []), "eve", 405),
            (.history(ChatHistoryRequest(ChatChannel(.group, "g"), place: .latest, limit: 1)), "eve", 22_406),
        ]
    }()

    @Test(
        "NV-21: Whoever may not is refused before a conversation's turn is taken and before anything is read",
        arguments: refused.indices)
    func refusedFirst(index: Int) async throws {
        let application = try await application()
        let (request, user, code) = Self.refused[index]
        // Somebody has the turn in each of the conversations, and keeps it.
        for key in [
            ChatConversation.key(.group, of: "g"), ChatConversation.key(.open, of: "o"),
            ChatConversation.key(.direct, of: "ann", and: "eve"),
        ] {
            application.turns.run(key, by: "ann") { _ in }
        }
        let refusal = await #expect(throws: ChatRequestRefusal.self) { try await application.answer(request, by: caller(user)) }
        #expect(refusal?.code.rawValue == code)
        #expect(store.reads.withLockedValue { $0 } == 0)
    }

    @Test("NV-21: Users take turns, so who asks for much delays others by one request")
    func fairness() {
        let turns = ConversationQueue()
        let ran = NIOLockedValueBox<[String]>([])
        let held = NIOLockedValueBox<[@Sendable () -> Void]>([])
        for (user, name) in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("b", "b2"), ("c", "c1")] {
            turns.run("g", by: Identifier(user)) { done in
                ran.withLockedValue { $0.append(name) }
                held.withLockedValue { $0.append(done) }
            }
        }
        while let done = held.withLockedValue({ $0.isEmpty ? nil : $0.removeFirst() }) { done() }
        #expect(ran.withLockedValue { $0 } == ["a1", "a2", "b1", "c1", "a3", "b2"])
    }
}
