import Lifeline
import LifelineServer
import Testing

/// The README's example of the neutral API, word for word but for the port.
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
}
