import Foundation
import LifelineServer
import NIOConcurrencyHelpers
import RealtimeHub

@testable import LifelineServer
@testable import NexconnChatSDK

/// A server with one chat application, and users who chat over real sockets.
final class ChatWorld: Sendable {
    let server: LifelineServer
    private let users = NIOLockedValueBox<[ChatUser]>([])

    private init(_ server: LifelineServer) {
        self.server = server
    }

    /// Runs `body` with a server, and signs everybody out afterwards.
    static func run(
        _ change: (inout ChatApplication) -> Void = { _ in }, _ body: (ChatWorld) async throws -> Void
    ) async throws {
        var application = ChatApplication.development
        change(&application)
        let world = ChatWorld(
            try await LifelineServer.start(
                .init(port: 0, chatApplications: [application], threads: 1, drainTimeout: .milliseconds(200))))
        let result: Result<Void, any Error>
        do { result = .success(try await body(world)) } catch { result = .failure(error) }
        for user in world.users.withLockedValue({ $0 }) { user.engine.disconnect(disablePush: false) }
        try await world.server.stop()
        try result.get()
    }

    /// A user who is connected and has caught up.
    @discardableResult
    func user(_ name: String, device: NCDeviceClass = .mobile) async throws -> ChatUser {
        let user = try await absentUser(name, device: device)
        try await user.connect()
        return user
    }

    /// A user who has not connected yet.
    func absentUser(_ name: String, device: NCDeviceClass = .mobile) async throws -> ChatUser {
        let user = ChatUser(name, token: try await token(name), port: server.port, device: device)
        users.withLockedValue { $0.append(user) }
        return user
    }

    private func token(_ user: String) async throws -> String {
        let token = "token-\(user)"
        try await withCheckedThrowingContinuation { continuation in
            server.core.nexconn.applications[0].change(
                { book, change in
                    try book.issueToken(
                        hash: NexconnApplication.hash(ofToken: token), to: user, name: user, avatar: nil, at: change.now,
                        into: &change.commit)
                }, completion: { continuation.resume(with: $0) })
        }
        return token
    }
}
