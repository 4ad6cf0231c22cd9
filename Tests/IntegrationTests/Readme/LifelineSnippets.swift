import Lifeline
import LifelineServer

// As PusherSnippets.swift, for the neutral API and the server.

private struct Price: Codable {
    var company: String
    var price: Int
}

func readmeLifeline() async throws {
    let client = LifelineClient(.pusher(key: "app-key", host: .init("127.0.0.1", port: 6001, tls: false)))
    Task { for await status in client.statuses { print(status) } }  // every phase, with cause and retry delay
    try await client.connect()
    let room = try await client.channel("room-42").subscribe()  // returns when the server confirmed
    for await message in room.messages { print(message.event, try message.decode(Price.self)) }
}

func readmeServer() async throws {
    let server = try await LifelineServer.start(.init(port: 0))  // server.port is free
    try await server.stop()
}
