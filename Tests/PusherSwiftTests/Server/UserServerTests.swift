import Foundation
import LifelineServer
import PusherProtocol
import Testing

@testable import PusherSwift

/// Users on real sockets against a server in the same process. Rules PA-67 to PA-70.
@Suite(.timeLimit(.minutes(1)))
struct UserServerTests {
    private func withServer(_ body: (LifelineServer) async throws -> Void) async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        do {
            try await body(server)
        } catch {
            try? await server.drain(timeout: .zero)
            throw error
        }
        try await server.drain(timeout: .zero)
    }

    private func client(
        _ server: LifelineServer, user: String, watching: [String] = [], secret: String = "app-secret"
    ) -> LiveClient {
        let client = LiveClient(server, secret: secret, user: user)
        client.pusher.connection.options.userAuthentication = .inline(secret: secret, watchlist: watching)
        return client
    }

    @Test func `a user signs in, hears what is sent to them, and does so again after a restart`() async throws {
        try await withServer { server in
            let ann = client(server, user: "ann")
            ann.pusher.user.bind(eventName: "hello") { ann.diary.note("hello \($0.data ?? "-")") }
            ann.pusher.connect()
            let user = try await ann.pusher.signin()
            #expect(user.userId == "ann" && ann.pusher.user.isSignedIn)
            #expect(user.userData == #"{"id":"ann","user_info":{"name":"ann"}}"#)
            try await hear("1", ann, server)
            server.disconnectAll(code: 4200)
            await ann.diary.wait(for: "connecting→connected", times: 2)
            try await hear("2", ann, server)
            #expect(ann.pusher.user.userId == "ann")
        }
    }

    /// Publishes until the user has heard it: the user's channel is subscribed a moment after the sign-in.
    private func hear(_ data: String, _ client: LiveClient, _ server: LifelineServer) async throws {
        while !client.diary.lines.contains("hello \(data)") {
            try server.publish(channel: "#server-to-user-ann", event: "hello", data: data)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `a wrong signature fails the sign-in and nothing else`() async throws {
        try await withServer { server in
            let ann = client(server, user: "ann", secret: "wrong")
            ann.pusher.subscribe("a")
            ann.pusher.connect()
            let error = await #expect(throws: PusherSigninError.self) { try await ann.pusher.signin() }
            #expect(error?.category == "accessDenied")
            await ann.diary.wait(for: "subscribed a")
            #expect(ann.pusher.connection.connectionState == .connected && !ann.pusher.user.isSignedIn)
        }
    }

    @Test func `a watchlist tells who comes and goes`() async throws {
        try await withServer { server in
            let bob = client(server, user: "bob")
            let ann = client(server, user: "ann", watching: ["bob", "eve"])
            ann.pusher.user.watchlist.bind { ann.diary.note("\($0.name) \($0.userIds.joined(separator: ","))") }
            bob.pusher.connect()
            try await bob.pusher.signin()
            ann.pusher.connect()
            try await ann.pusher.signin()
            await ann.diary.wait(for: "online bob")
            bob.pusher.disconnect()
            await ann.diary.wait(for: "offline bob")
        }
    }

    @Test func `a presence channel is joined as the signed-in user`() async throws {
        final class Signer: Authorizer {
            func fetchAuthValue(
                socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void
            ) {
                let auth = PusherSignature.channelAuth(
                    socketID: socketID, channel: channelName, key: "app-key", secret: "app-secret")
                completionHandler(PusherAuth(auth: auth))
            }
        }
        try await withServer { server in
            let ann = client(server, user: "ann")
            ann.pusher.connection.options.authMethod = .authorizer(authorizer: Signer())
            let room = ann.pusher.subscribeToPresenceChannel(channelName: "presence-room")
            ann.pusher.user.signin()
            ann.pusher.connect()
            await ann.diary.wait(for: "subscribed presence-room")
            #expect(room.myId == "ann" && room.members.map(\.userId) == ["ann"])
        }
    }
}
