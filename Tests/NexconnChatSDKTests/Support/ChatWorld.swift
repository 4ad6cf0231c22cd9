import Foundation
import Identifiers
import LifelineServer
import NIOConcurrencyHelpers
import ServerStorage

@testable import ChatServer
@testable import LifelineServer
@testable import NexconnChatSDK

/// A server with one chat application, and users who chat over real sockets.
final class ChatWorld: Sendable {
    private let running: NIOLockedValueBox<LifelineServer>
    private let configuration: ServerConfiguration
    private let users = NIOLockedValueBox<[ChatTestUser]>([])

    private init(_ server: LifelineServer, _ configuration: ServerConfiguration) {
        running = NIOLockedValueBox(server)
        self.configuration = configuration
    }

    var server: LifelineServer { running.withLockedValue { $0 } }

    /// Starts the server again after `server.stop()`, on the same port, with what it has on disk.
    func restart() async throws {
        var configuration = configuration
        configuration.port = server.port
        let next = try await LifelineServer.start(configuration)
        running.withLockedValue { $0 = next }
    }

    /// Runs `body` with a server, and signs everybody out afterwards.
    static func run(
        dataDirectory: String? = nil, _ change: (inout ChatApplication) -> Void = { _ in },
        _ body: (ChatWorld) async throws -> Void
    ) async throws {
        var application = ChatApplication.development
        change(&application)
        let configuration = ServerConfiguration(
            port: 0, chatApplications: [application], dataDirectory: dataDirectory, threads: 1,
            drainTimeout: .milliseconds(200))
        let world = ChatWorld(try await LifelineServer.start(configuration), configuration)
        let result: Result<Void, any Error>
        do { result = .success(try await body(world)) } catch { result = .failure(error) }
        for user in world.users.withLockedValue({ $0 }) { user.engine.disconnect(disablePush: false) }
        try await world.server.stop()
        try result.get()
    }

    /// A user who is connected and has caught up.
    @discardableResult
    func user(_ name: String, device: NCDeviceClass = .mobile) async throws -> ChatTestUser {
        let user = try await absentUser(name, device: device)
        try await user.connect()
        return user
    }

    /// A user who has not connected yet.
    func absentUser(
        _ name: String, device: NCDeviceClass = .mobile, directory: String? = nil
    ) async throws -> ChatTestUser {
        let user = ChatTestUser(
            name, token: try await token(name), port: server.port, device: device, directory: directory)
        users.withLockedValue { $0.append(user) }
        return user
    }

    private func token(_ user: String) async throws -> String {
        let token = "token-\(user)"
        try await withCheckedThrowingContinuation { continuation in
            server.services.chat.applications[0].change(
                { book, change in
                    try book.issueToken(
                        hash: ServedChatApplication.hash(ofToken: token), to: Identifier(user), name: user, avatar: nil,
                        at: change.now,
                        into: &change.commit)
                }, completion: { continuation.resume(with: $0) })
        }
        return token
    }
}
