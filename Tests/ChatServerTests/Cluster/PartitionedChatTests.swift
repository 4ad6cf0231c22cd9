import ChatProtocol
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import ServerRuntime
import ServerStorage
import Testing

@testable import ChatServer

@Suite struct PartitionedChatTests {
    /// The chat of a partition, which keeps what it is asked for.
    private final class Recorder: ChatStateBackend, ChatForwarder {
        let calls = NIOLockedValueBox<[String]>([])
        let leads: Bool

        init(leads: Bool) { self.leads = leads }

        private func note(_ call: String) { calls.withLockedValue { $0.append(call) } }

        var applications: [ServedChatApplication] { [] }
        func application(key: Identifier) -> ServedChatApplication? {
            note("application \(key.text)")
            return nil
        }
        func gateway(key: Identifier) -> (any ChatGateway)? {
            note("gateway \(key.text)")
            return nil
        }
        var forwarder: (any ChatForwarder)? { self }
        func newSession(on eventLoopID: Int) -> ChatSessionID { ChatSessionID(id: 7, eventLoopID: eventLoopID) }
        func prepare() async throws { note("prepare") }
        func join(_ node: any ChatNode) { note("join") }
        func leave(_ node: any ChatNode) async { note("leave") }
        func tellsWebhooks(_ node: any ChatNode) -> Bool { leads }
        func sweep(by node: any ChatNode) { note("sweep") }
        func prepare(_ settings: [ChatApplication]) async throws -> ChatReload { ChatReload(settings: settings, new: []) }
        func take(_ reload: ChatReload) { note("take \(reload.settings.count)") }

        func answer(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPAnswer) -> Void) {
            note("answer")
            reply(HTTPAnswer(status: 200, .json, []))
        }
        func issueToken(hash: Identifier, app: String, user: Identifier, name: String?) async throws(ChatTokenProblem) {
            note("issueToken \(app)")
        }
        func publish(_ draft: ChatMessageDraft, from service: String, as user: Identifier, to key: String) {
            note("publish \(key)")
        }
    }

    private final class Node: ChatNode {
        var eventLoopIDs: EventLoopSet { EventLoopSet() }
        var eventLoop: (any EventLoop)? { nil }
        func apply(_ changes: [ChatDelivery], of application: Int, to sessions: inout ChatNodeSessions) {}
        func countMessage(of application: ServedChatApplication) {}
    }

    /// Applications with their partitions among four.
    private static let owners = ["app-key": 0, "demo": 1, "app-1": 2, "1001": 3]

    private let recorders = (0..<4).map { Recorder(leads: $0 == 2) }
    private let chat: PartitionedChat

    init() throws {
        chat = try #require(PartitionedChat(recorders))
    }

    private var taken: [[String]] { recorders.map { $0.calls.withLockedValue { $0 } } }

    @Test("CR-50: What belongs to a chat application goes to its partition, and to no other one", arguments: owners.keys)
    func routing(_ key: String) async throws {
        #expect(chat.application(key: Identifier(key)) == nil && chat.gateway(key: Identifier(key)) == nil)
        let call = HTTPRequest(
            method: "POST", target: try RequestTarget(parsing: "/v4/user/token"), headers: ["app-key": key], body: [])
        let forwarder = try #require(chat.forwarder)
        let status = await withCheckedContinuation { continuation in
            forwarder.answer(call) { continuation.resume(returning: $0.status) }
        }
        #expect(status == 200)
        try await forwarder.issueToken(hash: "hash", app: key, user: "ann", name: nil)
        var expected = [[String]](repeating: [], count: 4)
        expected[try #require(Self.owners[key])] = ["application \(key)", "gateway \(key)", "answer", "issueToken \(key)"]
        #expect(taken == expected)
    }

    @Test("CR-50: A call that names no application is refused by one of the leaders")
    func nameless() async throws {
        let call = HTTPRequest(method: "POST", target: try RequestTarget(parsing: "/v4/user/token"), headers: [:], body: [])
        chat.answer(call) { _ in }
        #expect(taken.flatMap(\.self) == ["answer"])
    }

    @Test("CR-50: What concerns all applications goes to every partition, and webhooks are told where any partition is led")
    func all() async throws {
        let node = Node()
        try await chat.prepare()
        chat.join(node)
        chat.sweep(by: node)
        chat.take(try await chat.prepare([.development]))
        await chat.leave(node)
        #expect(taken == [[String]](repeating: ["prepare", "join", "sweep", "take 1", "leave"], count: 4))
        #expect(chat.tellsWebhooks(node) && chat.applications.isEmpty)
        #expect(chat.newSession(on: 3) == ChatSessionID(id: 7, eventLoopID: 3))
        #expect(PartitionedChat([]) == nil)
    }
}
