import ChatProtocol
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerStorage

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

/// Runs `body` with a server for one chat application.
func withChatServer(
    _ settings: ChatApplication = .development, _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (LifelineServer) async throws -> Void
) async throws {
    try await withServer(
        quietApplication,
        {
            $0.chatApplications = [settings]
            change(&$0)
        }, body)
}

extension ChatApplication {
    /// The development application, changed.
    static func with(_ change: (inout ChatApplication) -> Void) -> ChatApplication {
        var settings = ChatApplication.development
        change(&settings)
        return settings
    }
}

extension LifelineServer {
    /// The application that `withChatServer` made.
    var chat: ServedChatApplication { services.chat.applications[0] }

    /// Gives a user a token: `token-USER`.
    @discardableResult
    func token(_ user: String) async throws -> String {
        let token = "token-\(user)"
        try await chat.changed { book, change in
            try book.issueToken(
                hash: ServedChatApplication.hash(ofToken: token), to: Identifier(user), name: user, avatar: nil, at: change.now,
                into: &change.commit)
        }
        return token
    }

    /// A device of a user that has caught up.
    func device(_ user: String, _ device: String = "d-1", class kind: String = "mobile") async throws -> ChatTestClient {
        try await ChatTestClient.live(self, token: try await token(user), device: device, class: kind)
    }
}

extension ServedChatApplication {
    /// Changes something and waits until it is stored.
    func changed<Value: Sendable>(
        _ decide: @escaping @Sendable (inout ChatState, inout ChatChange) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            change(decide, completion: { continuation.resume(with: $0) })
        }
    }

    /// Performs a request and waits for its answer.
    func answer(_ request: ChatRequest, by caller: ChatCaller) async throws -> ChatResult {
        try await withCheckedThrowingContinuation { continuation in
            perform(request, by: caller) { continuation.resume(with: $0) }
        }
    }
}

struct NeverHappened: Error, CustomStringConvertible {
    var description: String
}

/// Waits until something holds that nobody tells about.
func eventually(_ what: String, _ holds: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !holds() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "never: \(what)") }
        try await MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .milliseconds(2)) {}.futureResult.get()
    }
}
