import ChatProtocol
import ServerStorage
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import ServerRuntime

/// A configuration of a server that shares a backend with others, with event loops of its own.
func sharedChat(
    _ settings: ChatApplication = .development, _ change: (inout ServerConfiguration) -> Void = { _ in }
) -> ServerConfiguration {
    var configuration = ServerConfiguration(port: 0, drainTimeout: .milliseconds(500))
    configuration.applications = InMemoryApplicationRegistry([quietApplication])
    configuration.threads = 2
    configuration.chatApplications = [settings]
    change(&configuration)
    return configuration
}

/// Runs `body` with two places to connect to: two servers on one backend, or one server that is both places.
func withChatPlaces(
    _ servers: Int, _ settings: ChatApplication = .development, _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (LifelineServer, LifelineServer) async throws -> Void
) async throws {
    let backend = LocalBackend()
    let configuration = sharedChat(settings, change)
    let first = try await LifelineServer.start(configuration, on: backend)
    let second = servers == 1 ? first : try await LifelineServer.start(configuration, on: backend)
    do {
        try await body(first, second)
        try await second.stop()
        try await first.stop()
    } catch {
        try await second.stop()
        try await first.stop()
        throw error
    }
}

extension LifelineServer {
    var api: ChatAPIClient { ChatAPIClient(server: self) }

    /// The event loops of the sessions that a user has.
    func eventLoopIDs(of user: String) -> [Int] {
        chat.withAudience { $0.peers(of: .init(user)).map(\.chat.eventLoopID) }
    }
}

extension ChatTestClient {
    /// Members of a text message to an open channel.
    static func spoken(_ text: String, in channel: String = "r") -> String {
        #""cid":"\#(text)","conv":"open","to":"\#(channel)","type":"RC:TxtMsg","content":{"content":"\#(text)"}"#
    }

    /// Enters an open channel and returns how many are there.
    @discardableResult
    func enter(_ channel: String = "r") async throws -> Int? {
        try await done("open.enter", #""ch":"\#(channel)","count":0"#)["count"]?.integer
    }
}
