import PusherProtocol
import RealtimeHub
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

@Suite("Channels and subscriptions of an application (SP-66)", .timeLimit(.minutes(1)))
struct SubscriptionQuotaTests {
    private func application(channels: Int = 100, subscriptions: Int = 100) -> Application {
        var application = quietApplication
        application.limits.channels = channels
        application.limits.subscriptions = subscriptions
        application.limits.presenceMembers = 1
        return application
    }

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
