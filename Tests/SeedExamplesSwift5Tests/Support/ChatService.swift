import ChatProtocol
import Foundation
import Identifiers

@testable import ChatServer
@testable import LifelineServer
@testable import NexconnChatSDK
@testable import PubNubServer
@testable import PusherServer

/// A chat server in this process, and engines that talk to it.
final class ChatService: Sendable {
    let server: LifelineServer
    let port: Int
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "seed-\(UUID().uuidString)", isDirectory: true)

    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - data: where the server keeps what it has; nil for memory.
    init(port: Int = 0, data: URL? = nil) async throws {
        server = try await LifelineServer.start(ServerConfiguration(port: port, dataDirectory: data?.path))
        self.port = server.port
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// An engine of its own: a device. Used by `NCEngine` within ``ChatEngine/run(_:)``.
    func device(_ name: String, proxy: NCProxy? = nil) -> ChatEngine {
        let engine = ChatEngine(assembly: .live)
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://127.0.0.1:\(port)"
        params.proxy = proxy
        params.logLevel = .none
        params.databaseDirectory = databases(of: name).path
        params.timing = .fast
        engine.run { NCEngine.initialize(params) }
        return engine
    }

    func databases(of device: String) -> URL { directory.appendingPathComponent(device, isDirectory: true) }

    /// Gives a user a token.
    func token(for user: String) async throws -> String {
        try await server.issueChatToken(user: user)
    }

    /// Bans a user who may be connected.
    func ban(_ user: String) async throws {
        try await change { book, change in
            let sessions = try book.ban([Identifier(user)], minutes: 5, at: change.now, into: &change.commit)
            change.end(sessions, ChatBye(code: .bannedWhileOnline, reason: "Banned."))
        }
    }

    /// Deactivates a user's account.
    func deactivate(_ user: String) async throws {
        try await change { book, change in
            let sessions = try book.deactivate([Identifier(user)], at: change.now, into: &change.commit)
            change.end(sessions, ChatBye(code: .accountDeleted, reason: "Deactivated."))
        }
    }

    /// Voids all tokens of a user.
    func expireTokens(of user: String) async throws {
        try await change { book, change in
            let sessions = try book.expireTokens(
                of: [Identifier(user)], issuedBefore: change.now + 1, at: change.now, into: &change.commit)
            change.end(sessions, ChatBye(code: .tokenExpired, reason: "Expired."))
        }
    }

    private func change(_ decide: (inout ChatState, inout ChatChange) throws -> Void) async throws {
        guard let application = server.services.chat.application(key: "app-key") else { return }
        let result: Result<Void, ChatRequestRefusal> = await withCheckedContinuation { continuation in
            application.change(decide) { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

extension ChatEngine {
    /// Runs code that uses `NCEngine` with this engine.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try NCEngine.$scoped.withValue(self, operation: body)
    }

    /// Waits for what is on its way to the callback queue.
    func callbacks() async {
        await withCheckedContinuation { continuation in
            work.async { self.registry.run { continuation.resume() } }
        }
    }

    /// The next changes of status until one is terminal or `last`.
    func statuses(_ stream: NCStatuses, until last: NCConnectionStatus) async -> [Int] {
        var seen: [Int] = []
        for await change in stream {
            seen.append(change.status.rawValue)
            if change.status == last { break }
        }
        return seen
    }
}
