import Dispatch
import Lifeline
import LifelineServer
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
}
