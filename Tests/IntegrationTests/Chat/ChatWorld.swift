import ChatProtocol
import ConnectionEngine
import Foundation
import Identifiers
import ServerStorage

@testable import ChatServer
@testable import LifelineServer
@testable import NexconnChatSDK

/// A server for one chat application, and what its operator may do to users.
struct ChatWorld {
    let server: LifelineServer
    private var chat: ServedChatApplication { server.services.chat.applications[0] }

    /// - Parameter key: of the application; devices use `app-key`.
    static func start(key: String = "app-key") async throws -> ChatWorld {
        var application = ChatApplication(key: key, secret: Secret("app-secret"))
        // Tests send faster than people.
        application.limits.sendsPerSecond = 1_000_000
        var configuration = ServerConfiguration(port: 0)
        configuration.chatApplications = [application]
        return ChatWorld(server: try await LifelineServer.start(configuration))
    }

    var port: Int { server.port }

    /// Gives a user a token: `token-USER`, or another one with a suffix.
    @discardableResult
    func token(_ user: String, _ suffix: String = "") async throws -> String {
        let token = "token-\(user)\(suffix)"
        try await change { book, change in
            try book.issueToken(
                hash: ServedChatApplication.hash(ofToken: token), to: Identifier(user), name: user, avatar: nil, at: change.now,
                into: &change.commit)
        }
        return token
    }

    func ban(_ user: String) async throws {
        try await change { book, change in
            let ended = try book.ban([Identifier(user)], minutes: 5, at: change.now, into: &change.commit)
            change.end(ended, ChatBye(code: .bannedWhileOnline, reason: "Banned."))
        }
    }

    func delete(_ user: String) async throws {
        try await change { book, change in
            let ended = try book.deactivate([Identifier(user)], at: change.now, into: &change.commit)
            change.end(ended, ChatBye(code: .accountDeleted, reason: "Deleted."))
        }
    }

    func expireTokens(of user: String) async throws {
        try await change { book, change in
            let ended = try book.expireTokens(
                of: [Identifier(user)], issuedBefore: change.now + 1, at: change.now, into: &change.commit)
            change.end(ended, ChatBye(code: .tokenExpired, reason: "Expired."))
        }
    }

    /// Ends a user's sessions as a server does that restarts.
    func shake(_ user: String) async throws {
        try await change { book, change in
            change.end(
                book.sessions(of: Identifier(user)), ChatBye(code: .serverRestarts, reason: "Restarting.", mayRetry: true))
        }
    }

    func isOnline(_ user: String) async throws -> Bool {
        try await change { book, _ in book.isOnline(Identifier(user)) }
    }

    @discardableResult
    private func change<Value: Sendable>(
        _ decide: @escaping @Sendable (inout ChatState, inout ChatChange) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            chat.change(decide, completion: { continuation.resume(with: $0) })
        }
    }
}

/// One installation of an application with the chat SDK, and everything that it was told.
final class ChatWorldDevice: ConnectionStatusHandler, Sendable {
    /// The numbers of the statuses, in order.
    let statuses = Seen<Int>()
    /// The messages' contents, in order, and `gap`.
    let messages = Seen<String>()
    let engine: ChatEngine
    private let folder: URL

    init(port: Int) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-chat-\(UUID().uuidString)")
        var assembly = ChatEngineAssembly.live
        assembly.intake = Recorder(messages: messages)
        engine = ChatEngine(assembly: assembly)
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://127.0.0.1:\(port)"
        params.databaseDirectory = folder.path
        params.timing = .fast
        params.logLevel = .none
        engine.initialize(EngineSettings(params))
        engine.registry.connectionStatus.add("device") { [weak self] in self }
    }

    deinit {
        engine.disconnect(disablePush: false)
        try? FileManager.default.removeItem(at: folder)
    }

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
        statuses.append(event.status.rawValue)
    }

    /// Connects, and gives what the completion was told.
    func connect(_ token: String, timeout: Int = 0, yields: Bool = false) async -> Result<String, NCError> {
        let params = ConnectParams(token: token)
        params.timeout = timeout
        params.reconnectKickEnable = yields
        return await withCheckedContinuation { continuation in
            engine.connect(
                SignIn(params), call: ConnectCall(opened: { _, _ in }, completion: { continuation.resume(returning: $0) }))
        }
    }

    /// Sends a text, and tells `done` what became of it: `ok`, or the number of the failure.
    func send(_ text: String, to user: String, done: Seen<String>) {
        let draft = ChatMessageDraft(
            clientID: UUID().uuidString, conversation: .direct, to: user, type: "RC:TxtMsg",
            content: Array(#"{"content":"\#(text)"}"#.utf8))
        guard let client = engine.client else { return done.append("\(text) nobody") }
        client.send(draft) { result in
            switch result {
            case .success: done.append("\(text) ok")
            case .failure(let error): done.append("\(text) \(error.code)")
            }
        }
    }

    /// Where the connection's machine is.
    var phase: ConnectionPhase? { engine.client?.driver?.snapshot.phase }

    private struct Recorder: ChatIntake {
        let messages: Seen<String>

        func received(
            _ items: [ChatInboxItem], place: ChatPlace, isOffline: Bool, hasMore: Bool, client: ChatClient
        ) throws {
            _ = try client.database?.receive(items, place: place)
            for case .message(let message) in items.map(\.event) {
                let content = String(decoding: message.content, as: UTF8.self)
                messages.append(content.split(separator: "\"").last { $0 != "}" }.map(String.init) ?? "")
            }
        }

        func caughtUp(client: ChatClient) {}
        func received(_ event: ChatWireEvent, client: ChatClient) {}
        func missed(since: Moment?, client: ChatClient) { messages.append("gap") }
        func missed(in openChannel: String, since: Moment?, client: ChatClient) {}
        func reentered(_ entrance: ChatOpenEntrance, client: ChatClient) {}
        func entryFailed(_ openChannel: String, _ error: NCError, client: ChatClient) {}
    }
}

extension Result where Failure == NCError {
    /// The detailed number of a failure, and the one of the vendor's sample.
    var codes: [Int]? {
        if case .failure(let error) = self { [error.code, error.errorCode] } else { nil }
    }
}
