import Foundation
import LifelineTesting
import LifelineTestingChat
import NIOConcurrencyHelpers
import NexconnChatSDK
import Testing

/// The script behind the API of the Nexconn Chat SDK.
@Suite(.timeLimit(.minutes(5))) struct ChatSDKScriptTests {
    /// An app's handlers.
    final class App: NSObject, ConnectionStatusHandler, MessageHandler, Sendable {
        let words = NIOLockedValueBox<[String]>([])

        func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) { add("status \(event.status.rawValue)") }

        func onMessageReceived(_ event: MessageReceivedEvent) {
            add("\(event.message.senderUserId): \((event.message.content as? TextMessage)?.text ?? "")")
        }

        func add(_ word: String) { words.withLockedValue { $0.append(word) } }

        func take() -> [String] {
            words.withLockedValue { words in
                defer { words = [] }
                return words
            }
        }

        func start(_ params: InitParams, token: String) {
            NCEngine.initialize(params)
            NCEngine.addConnectionStatusHandler(identifier: "app", handler: self)
            NCEngine.addMessageHandler(identifier: "app", handler: self)
            NCEngine.connect(params: ConnectParams(token: token), databaseOpenedHandler: nil) { user, error in
                self.add(user ?? "error \(error?.code ?? 0)")
            }
        }
    }

    private static let connecting = "status \(NCConnectionStatus.connecting.rawValue)"
    private static let connected = "status \(NCConnectionStatus.connected.rawValue)"

    @Test func `LT-29: statuses, messages both ways and a reconnect`() async throws {
        let service = TestService()
        try await service.withChatEngine { params in
            let app = App()
            app.start(params, token: service.token(for: "ann"))
            try await service.settle()
            let words = app.take()
            #expect(words.contains(Self.connected) && words.contains("ann"))
            try await service.deliver("hello", on: "direct:ben")
            #expect(app.take() == ["ben: hello"])
            DirectChannel(channelId: "ben")?.sendMessage(
                params: SendMessageParams(content: TextMessage(text: "hi")), attachedHandler: nil
            ) { message, error in
                app.add("sent \(message?.messageId.isEmpty == false) \(error?.code ?? 0)")
            }
            try await service.settle()
            #expect(app.take() == ["sent true 0"])
            #expect(service.published(on: "direct:ben").count == 1)
            try await service.drop(.reset)
            try await service.deliver("missed", on: "direct:ben")
            try await service.advance(by: .seconds(60))
            let after = app.take()
            #expect(after.last == "ben: missed" && after.contains(Self.connected), "\(after)")
        }
    }

    @Test func `LT-29: a token that is not valid, and one that expires`() async throws {
        let service = TestService()
        try await service.withChatEngine { params in
            let app = App()
            app.start(params, token: "somebody-else's")
            try await service.settle()
            #expect(app.take().contains("status \(NCConnectionStatus.tokenIncorrect.rawValue)"))
        }
        try await service.withChatEngine { params in
            let app = App()
            app.start(params, token: service.token(for: "ann"))
            try await service.settle()
            _ = app.take()
            try await service.drop(.tokenExpired)
            #expect(app.take() == ["status \(NCConnectionStatus.tokenIncorrect.rawValue)"])
            // The session is over: nothing is tried again by itself.
            try await service.advance(by: .seconds(60))
            #expect(app.take() == [])
        }
    }

    @Test func `LT-29: a user who signs in elsewhere`() async throws {
        let service = TestService()
        try await service.withChatEngine { params in
            let app = App()
            app.start(params, token: service.token(for: "ann"))
            try await service.settle()
            _ = app.take()
            try await service.drop(.kicked)
            #expect(app.take() == ["status \(NCConnectionStatus.kickedOfflineByOtherClient.rawValue)"])
        }
    }

    @Test func `LT-29: refused sends, history, and half-open links`() async throws {
        let service = TestService()
        try await service.withChatEngine { params in
            let app = App()
            app.start(params, token: service.token(for: "ann"))
            try await service.settle()
            service.answerPublishing(.refused(reason: "Not today."), on: "direct:ben")
            DirectChannel(channelId: "ben")?.sendMessage(
                params: SendMessageParams(content: TextMessage(text: "hi")), attachedHandler: nil
            ) { _, error in app.add("error \(error != nil)") }
            try await service.settle()
            #expect(app.take().last == "error true")
            service.goSilent()
            try await service.advance(by: .milliseconds(25_100))
            #expect(!app.take().isEmpty)
            try await service.accept()
            try await service.advance(by: .seconds(120))
            #expect(NCEngine.getConnectionStatus() == .connected)
        }
    }
}
