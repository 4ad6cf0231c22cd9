import ChatProtocol
import HubStorage
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerStorage
import ServerValues
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// A store whose commits are done, or fail, when a test says so.
private final class HeldStore: ChatStore {
    struct Broken: Error {}

    private let memory = InMemoryChatStore()
    private let failsAtOnce: Bool
    private let waiting = NIOLockedValueBox<[(ChatCommit, String, @Sendable ((any Error)?) -> Void)]>([])

    init(failsAtOnce: Bool = false) {
        self.failsAtOnce = failsAtOnce
    }

    var count: Int { waiting.withLockedValue { $0.count } }

    /// Lets the oldest commit be done.
    func finish(failing: Bool = false) {
        guard let (commit, application, completion) = waiting.withLockedValue({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            return
        }
        if failing { completion(Broken()) } else { memory.commit(commit, application: application, completion: completion) }
    }

    func restore() async throws -> RestoredChat { try await memory.restore() }

    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        guard !failsAtOnce else { return completion(Broken()) }
        waiting.withLockedValue { $0.append((commit, application, completion)) }
    }

    func reserve(idsUpTo limit: UInt64) async throws {}

    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry] {
        try await memory.inbox(of: user, after: sequence, limit: limit, application: application)
    }

    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        try await memory.history(query, application: application)
    }

    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await memory.event(id, in: conversation, application: application)
    }

    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        try await memory.receipts(of: ids, application: application)
    }

    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        try await memory.purge(inboxBefore: inbox, historyBefore: history)
    }

    func close() async {}
}

/// A node that records which sessions are to end.
private final class RecordingNode: ChatNode {
    private let all = NIOLockedValueBox<[(ChatSessionID, ChatBye)]>([])

    var ended: [ChatSessionID] { all.withLockedValue { $0.map(\.0) } }
    var byes: [ChatBye] { all.withLockedValue { $0.map(\.1) } }

    var eventLoopIDs: EventLoopSet {
        var ids = EventLoopSet()
        ids.insert(0)
        return ids
    }

    var eventLoop: (any EventLoop)? { nil }

    func apply(_ changes: [ChatDelivery], of application: Int, to sessions: inout ChatNodeSessions) {
        for case .end(let sessions, let bye) in changes {
            all.withLockedValue { $0 += sessions.map { ($0, bye) } }
        }
    }

    func countMessage(of application: ServedChatApplication) {}
}

@Suite("From a decision to the store and back (NV-1 to NV-4)")
struct ChatApplicationTests {
    private let store = HeldStore()
    private let answers = NIOLockedValueBox<[String]>([])

    private func application() async throws -> ServedChatApplication {
        let restored = try await store.restore()
        let storage = ChatStorage(store: store, restored: restored, unixTicks: ServerClock.systemTicks)
        return ServedChatApplication(
            settings: .development, number: 0, storage: storage, restored: .init(), clock: .system,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    private func send(_ cid: String, to user: String = "b", isStatus: Bool = false, _ application: ServedChatApplication) {
        var draft = ChatMessageDraft(clientID: cid, conversation: .direct, to: user, type: "t", content: Array("{}".utf8))
        draft.options.isStatus = isStatus
        application.perform(.send(draft), by: .server(user: "a")) { [answers] result in
            let text =
                switch result {
                case .success(.sent(let id, _)): "\(cid) \(id)"
                case .success: "\(cid) done"
                case .failure(let refusal): "\(cid) \(refusal.code)"
                }
            answers.withLockedValue { $0.append(text) }
        }
    }

    private var said: [String] { answers.withLockedValue { $0 } }

    @Test("A request is answered when the store has it, and not before")
    func waits() async throws {
        let application = try await application()
        send("1", application)
        #expect(store.count == 1)
        #expect(said.isEmpty)
        #expect(try await store.inbox(of: "b", after: 0, limit: 10, application: "app-key").isEmpty)
        store.finish()
        #expect(said.count == 1)
        #expect(try await store.inbox(of: "b", after: 0, limit: 10, application: "app-key").map(\.sequence) == [1])
    }

    @Test("A commit that fails is answered with 33002, reaches nobody, and can be sent again")
    func fails() async throws {
        let application = try await application()
        send("1", application)
        store.finish(failing: true)
        #expect(said == ["1 33002"])
        #expect(try await store.inbox(of: "b", after: 0, limit: 10, application: "app-key").isEmpty)
        send("1", application)
        store.finish()
        #expect(said.count == 2)
        #expect(said.last != "1 33002")
        #expect(try await store.inbox(of: "b", after: 0, limit: 10, application: "app-key").count == 1)
    }

    @Test(
        "NV-91: When a sign-in cannot be stored, the sessions that it would have replaced end and may come back",
        arguments: [false, true])
    func failedSignIn(endsToo: Bool) async throws {
        let (application, node) = (try await application(), RecordingNode())
        application.withAudience { $0.join(node) }
        application.change(
            { state, change in
                try state.issueToken(hash: "h", to: "u", name: "n", avatar: nil, at: change.now, into: &change.commit)
                return ChatResult.done
            }, reply: { _ in })
        store.finish()
        let admitted = NIOLockedValueBox<[Bool]>([])
        func signIn(_ id: UInt64) {
            let credentials = ChatSessionCredentials(
                token: "h", device: ChatDevice(id: "d", system: ""), isReconnect: false, yields: false, resume: nil)
            application.signIn(
                credentials, ChatSessionID(id: id, eventLoopID: 0), session: "s\(id)", address: "", line: nil
            ) { result in
                let isAdmitted = if case .success = result { true } else { false }
                admitted.withLockedValue { $0.append(isAdmitted) }
            }
        }
        signIn(1)
        #expect(admitted.withLockedValue { $0 } == [true])
        // With a commit under way the store is asked about the sign-in as well.
        send("1", application)
        signIn(2)
        store.finish()
        store.finish(failing: true)
        #expect(admitted.withLockedValue { $0 } == [true, false])
        store.finish(failing: endsToo)
        #expect(node.ended.map(\.id) == [1] && node.byes.allSatisfy { $0.mayRetry && $0.code == .serverRestarts })
    }

    @Test("A call of the server API that cannot be stored is 503 with 33002 and says when to try again (NA-4)")
    func failsOverAPI() async throws {
        let stores = ServerStores(messages: ServerStores.memory.messages, chat: { _ in HeldStore(failsAtOnce: true) })
        try await withServer(
            quietApplication,
            {
                $0.stores = stores
                $0.chatApplications = [.development]
            }
        ) { server in
            let content = #"{"fromUserId":"ann","toUserIds":["bob"],"messageType":"RC:TxtMsg","content":"{\"content\":\"x\"}"}"#
            let answer = try await ChatAPIClient(server: server).call("direct-channel/message/send", content)
            #expect(answer.status == 503 && answer.code == 33002 && answer.fields["retry-after"] == "1", "\(answer)")
        }
    }

    @Test("A repetition waits for what it repeats, and shares its fate")
    func repetition() async throws {
        let application = try await application()
        send("1", application)
        send("1", application)
        #expect(said.isEmpty)
        store.finish()
        #expect(said.count == 1)
        store.finish()
        #expect(said.count == 2)
        #expect(said[0] == said[1])
        send("2", application)
        send("2", application)
        store.finish(failing: true)
        store.finish()
        #expect(said.suffix(2) == ["2 33002", "2 33002"])
        #expect(try await store.inbox(of: "b", after: 0, limit: 10, application: "app-key").count == 1)
    }

    @Test("NV-3: A refusal comes behind the answers to what was asked before")
    func refusalsInOrder() async throws {
        let application = try await application()
        send("1", application)
        send("bad\u{0}", to: "", application)
        #expect(said.isEmpty)
        store.finish()
        store.finish()
        #expect(said.count == 2)
        #expect(said[1] == "bad\u{0} 33003")
        // With nothing on its way it comes at once.
        send("2", to: "", application)
        #expect(store.count == 0)
        #expect(said.last == "2 33003")
    }

    @Test func `NV-3: a decision that the store need not keep waits behind those that it is keeping`() async throws {
        let application = try await application()
        send("1", application)
        send("2", to: "c", isStatus: true, application)
        #expect(said.isEmpty && store.count == 2)
        store.finish()
        #expect(said.count == 1 && said[0].hasPrefix("1 "))
        store.finish()
        #expect(said.count == 2 && said[1].hasPrefix("2 "))
        // With nothing on its way it comes at once, and does not trouble the store.
        send("3", to: "c", isStatus: true, application)
        #expect(said.count == 3 && store.count == 0)
    }

    @Test("An answer may ask for more, with a store that is done at once and with one that is not")
    func reentry() async throws {
        let application = try await application()
        let draft = ChatMessageDraft(clientID: "x", conversation: .direct, to: "b", type: "t", content: Array("{}".utf8))
        application.perform(.send(draft), by: .server(user: "a")) { _ in send("nested", application) }
        store.finish()
        store.finish()
        #expect(said.count == 1)
        let memory = InMemoryChatStore()
        let restored = try await memory.restore()
        let other = ServedChatApplication(
            settings: .development, number: 0,
            storage: ChatStorage(store: memory, restored: restored, unixTicks: ServerClock.systemTicks), restored: .init(),
            clock: .system, logger: application.logger)
        other.perform(.send(draft), by: .server(user: "a")) { _ in send("within", other) }
        #expect(said.count == 2)
    }

    @Test("Acknowledgements go with the next commit")
    func acknowledgements() async throws {
        let application = try await application()
        send("1", application)
        store.finish()
        application.acknowledge(1, by: "b")
        #expect(store.count == 0)
        application.sweep()
        store.finish()
        let restored = try await store.restore()
        #expect(restored.applications["app-key"]?.inboxes["b"]?.acknowledged == 1)
    }
}

@Suite("Taking turns in a conversation")
struct ConversationQueueTests {
    @Test("Jobs of one conversation run one after the other, others at once")
    func turns() {
        let turns = ConversationQueue()
        let ran = NIOLockedValueBox<[String]>([])
        let held = NIOLockedValueBox<[@Sendable () -> Void]>([])
        for name in ["a1", "a2", "a3"] {
            turns.run("a", by: "u") { done in
                ran.withLockedValue { $0.append(name) }
                held.withLockedValue { $0.append(done) }
            }
        }
        turns.run("b", by: "u") { done in
            ran.withLockedValue { $0.append("b") }
            done()
        }
        #expect(ran.withLockedValue { $0 } == ["a1", "b"])
        for expected in ["a2", "a3"] {
            held.withLockedValue { $0.removeFirst() }()
            #expect(ran.withLockedValue { $0.last } == expected)
        }
        held.withLockedValue { $0.removeFirst() }()
        turns.run("a", by: "u") { done in
            ran.withLockedValue { $0.append("again") }
            done()
        }
        #expect(ran.withLockedValue { $0.last } == "again")
    }
}
