import Dispatch
import Foundation
import Lifeline
import LifelineServer
import NexconnChatSDK
import PubNub
import Testing

/// The README's examples, word for word but for the port and what is printed.
@Suite struct ReadmeExamplesTests {
    private struct Price: Codable, Equatable {
        var company: String
        var price: Int
    }

    @Test(.timeLimit(.minutes(1))) func `The neutral API works as the README shows it`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = LifelineClient(.pusher(key: "app-key", host: .init("127.0.0.1", port: server.port, tls: false)))
        let statuses = client.statuses
        try await client.connect()
        let room = try await client.channel("room-42").subscribe()
        try server.publish(channel: "room-42", event: "new-price", data: #"{"company":"ACME","price":3}"#)
        for await message in room.messages {
            #expect(message.event == "new-price")
            #expect(try message.decode(Price.self) == Price(company: "ACME", price: 3))
            break
        }
        for await status in statuses where status.phase == .connected { break }
        await #expect(throws: LifelineError.self) { try await client.channel("room-42").history(last: 50) }
        await client.disconnect()
        try await server.stop()
    }

    private final class Listener: PNObjectEventListener {
        let seen = Seen<String>()

        func client(_ client: PubNub, didReceive status: PNStatus) {
            if status.category == .PNAccessDeniedCategory, let denied = status as? PNErrorStatus {
                seen.append("no right to \(denied.errorData.channels)")
                // It is retried until the right is granted, or until status.cancelAutomaticRetry().
            }
        }

        func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {
            seen.append("\(message.data.channel) \(message.data.message ?? "")")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `PubNub works as the README shows it`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "127.0.0.1:\(server.port)"
        configuration.TLSEnabled = false
        let client = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "readme"))
        let listener = Listener()  // listeners are held weakly, as in the SDK
        client.addListener(listener)
        let statuses = client.statuses
        client.subscribeToChannels(["room"], withPresence: true)
        // Whoever publishes at once may be ahead of the subscription.
        for await status in statuses where status.category == .PNConnectedCategory { break }
        client.publish(["hello": "world"], toChannel: "room") { status in
            if status.isError { status.retry() }
        }
        await listener.seen.wait { $0.contains { $0.hasPrefix("room ") && $0.contains("world") } }
        client.unsubscribeFromAll()
        try await server.stop()
    }

    private final class ConnectionMonitor: NSObject, ConnectionStatusHandler, MessageHandler {
        let seen = Seen<String>()

        func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
            switch event.status {
            case .connected: seen.append("connected")
            case .tokenIncorrect: seen.append("ask your server for a new token and connect with it")
            case .kickedOfflineByOtherClient: seen.append("signed in on another device")
            default: seen.append("status \(event.status.rawValue): \(event.details.reason ?? "")")
            }
        }

        func onMessageReceived(_ event: MessageReceivedEvent) {
            seen.append("\(event.message.senderUserId) \((event.message.content as? TextMessage)?.text ?? "")")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `Chat works as the README shows it`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let token = try await server.issueChatToken(user: "ann")
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://127.0.0.1:\(server.port)"
        params.databaseDirectory = directory.path
        NCEngine.initialize(params)
        let monitor = ConnectionMonitor()  // handlers are held weakly
        NCEngine.addConnectionStatusHandler(identifier: "monitor", handler: monitor)
        NCEngine.addMessageHandler(identifier: "monitor", handler: monitor)
        let seen = monitor.seen
        NCEngine.connect(params: ConnectParams(token: token), databaseOpenedHandler: nil) { userId, error in
            guard error == nil else { return seen.append("\(error!.errorCode) \(error!.localizedDescription)") }
            DirectChannel(channelId: "ben")?.sendMessage(
                params: SendMessageParams(content: TextMessage(text: "hello")), attachedHandler: nil
            ) { message, error in
                seen.append("sent \((message?.messageId ?? "").isEmpty ? "nothing" : "a message") \(error?.code ?? 0)")
            }
        }
        await seen.wait { $0.contains("connected") && $0.contains("sent a message 0") }
        #expect(NCEngine.getCurrentUserId() == "ann")
        NCEngine.removeConnectionStatusHandler(forIdentifier: "monitor")
        NCEngine.removeMessageHandler(forIdentifier: "monitor")
        NCEngine.disconnect()
        try await server.stop()
    }
}
