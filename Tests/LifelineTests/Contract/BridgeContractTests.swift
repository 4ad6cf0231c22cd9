import Lifeline
import LifelineServer
import Testing

/// One public channel, three services.
@Suite("Three services, one channel", .serialized, .timeLimit(.minutes(2)))
struct BridgeContractTests {
    @Test("Over the bridge a message of one service's client reaches the clients of all", arguments: 0..<3)
    func bridge(_ publisher: Int) async throws {
        let server = try await LifelineServer.start(.init(port: 0, bridge: Bridge(), drainTimeout: .milliseconds(200)))
        do {
            let host = ServiceHost("127.0.0.1", port: server.port, tls: false)
            let services: [Service] = [
                .pusher(key: "app-key", host: host, access: .secret("app-secret", appID: "1001")),
                .pubnub(publishKey: "demo", subscribeKey: "demo", userID: "ann", host: host),
                .nexconn(appKey: "app-key", host: host, access: .secret("app-secret", user: "ben")),
            ]
            var rooms: [Room] = []
            for service in services {
                let client = LifelineClient(service, options: ClientOptions(timing: .fast))
                try await client.connect(timeout: .seconds(30))
                rooms.append(try await client.channel("room").subscribe())
            }
            for n in 1...3 { try await rooms[publisher].tick(n) }
            for room in rooms {
                var numbers: [Int] = []
                for await message in room.messages.prefix(3) {
                    numbers.append(try message.decode(Tick.self).n)
                    #expect(message.event == "tick")
                }
                #expect(numbers == [1, 2, 3])
            }
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }
}
