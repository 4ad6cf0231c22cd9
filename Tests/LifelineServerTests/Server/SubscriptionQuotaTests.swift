import PusherProtocol
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Channels and subscriptions of an application (SP-66)", .timeLimit(.minutes(1)))
struct SubscriptionQuotaTests {
    private func application(channels: Int = 100, subscriptions: Int = 100) -> Application {
        var application = quietApplication
        application.limits.channels = channels
        application.limits.subscriptions = subscriptions
        application.limits.presenceMembers = 1
        return application
    }

    // Proof of SP-66, SP-63.
    @Test("No connection adds a channel beyond the limit; what is subscribed goes on, and an end makes room")
    func channels() async throws {
        try await withServer(application(channels: 3)) { server in
            let first = try await TestClient.connect(server)
            let second = try await TestClient.connect(server)
            for channel in ["a", "b"] { try await first.subscribe(channel) }
            try await second.subscribe("presence-c", user: "ann")
            for client in [first, second] {
                try await client.requestSubscription("d")
                let error = try await client.expectError()
                #expect(error.code == 4100 && error.message.contains("3 channels"))
            }
            // A channel that is there takes others.
            try await second.subscribe("a")
            try server.publish(channel: "a", event: "tick", data: "1")
            for client in [first, second] { try await client.expect("tick") }
            try await first.send(PusherClientFrames.unsubscribe(channel: "b"))
            try await first.subscribe("d")
            // What the hub refuses does not count, and what ends with its connection is given back.
            try await first.requestSubscription("presence-c", user: "bob")
            #expect(try await first.expectError().message.contains("members"))
            await first.closeSocket()
            await second.closeSocket()
            #expect(try await server.leftoversInTheEnd() == Leftovers())
            let third = try await TestClient.connect(server)
            for channel in ["e", "f", "g"] { try await third.subscribe(channel) }
            await third.closeSocket()
        }
    }

    private func connect(_ server: LifelineServer, from address: String) async throws -> TestClient {
        let client = try await TestClient.open(server, fields: "X-Forwarded-For: \(address)\r\n")
        try await client.expect(PusherEventName.connectionEstablished)
        return client
    }

    @Test("The clients of one address have a share of channels and subscriptions, and others have theirs (SP-68)")
    func shareOfSubscriptions() async throws {
        var application = application(channels: 40, subscriptions: 1_000)
        application.limits.channelsPerConnection = 3
        try await withServer(application, { $0.trustsProxyHeaders = true }) { server in
            var clients = [try await connect(server, from: "192.0.2.1"), try await connect(server, from: "192.0.2.1")]
            for channel in ["a", "b"] { try await clients[0].subscribe(channel) }
            for channel in ["c", "d"] { try await clients[1].subscribe(channel) }
            for client in clients {
                try await client.requestSubscription("e")
                let error = try await client.expectError()
                #expect(error.code == 4100 && error.message.contains("address"))
            }
            // Another address, and this machine, which is not limited.
            clients.append(try await connect(server, from: "192.0.2.2"))
            try await clients[2].subscribe("e")
            for _ in 0..<2 {
                let client = try await connect(server, from: "127.0.0.1")
                for channel in ["a", "f", "g"] { try await client.subscribe(channel) }
                clients.append(client)
            }
            // An end makes room, and so does the end of a connection.
            try await clients[0].send(PusherClientFrames.unsubscribe(channel: "b"))
            try await clients[0].subscribe("x")
            await clients[1].closeSocket()
            await eventually { server.statistics.connections == 4 }
            try await clients[0].subscribe("y")
            for client in clients { await client.closeSocket() }
            #expect(try await server.leftoversInTheEnd() == Leftovers())
            await eventually { server.services.pusher.shares.count == 0 }
        }
    }

    @Test("The clients of one address have a share of an application's connections (SP-68)")
    func shareOfConnections() async throws {
        var application = quietApplication
        application.limits.connections = 1_100
        try await withServer(application, { ($0.trustsProxyHeaders, $0.maximumConnectionsPerAddress) = (true, 0) }) { server in
            var clients: [TestClient] = []
            for _ in 0..<110 { clients.append(try await connect(server, from: "192.0.2.1")) }
            let refused = try await TestClient.open(server, fields: "X-Forwarded-For: 192.0.2.1\r\n")
            #expect(try await refused.expectFarewell() == 4004)
            clients.append(try await connect(server, from: "192.0.2.2"))
            await clients[0].closeSocket()
            await eventually { server.statistics.connections == 110 }
            clients.append(try await connect(server, from: "192.0.2.1"))
            for client in clients { await client.closeSocket() }
        }
    }

    // Proof of SP-66.
    @Test("All connections together have no more subscriptions than the limit")
    func subscriptions() async throws {
        try await withServer(application(subscriptions: 3)) { server in
            let first = try await TestClient.connect(server)
            let second = try await TestClient.connect(server)
            for channel in ["a", "b"] { try await first.subscribe(channel) }
            try await second.subscribe("a")
            try await second.requestSubscription("b")
            let error = try await second.expectError()
            #expect(error.code == 4100 && error.message.contains("3 subscriptions"))
            await first.closeSocket()
            await eventually { server.statistics.channels == 1 }
            try await second.subscribe("b")
            await second.closeSocket()
        }
    }
}
