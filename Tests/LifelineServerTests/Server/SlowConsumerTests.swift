import LifelineServer
import NIOCore
import PusherProtocol
import Testing

@testable import ServerTestSupport

@Suite("Slow consumers on several event loops (SV-4, F86)", .timeLimit(.minutes(5)))
struct SlowConsumerTests {
    private static let limit = 131_072

    private func configure(_ configuration: inout ServerConfiguration) {
        configuration.threads = 2
        configuration.maximumPendingBytes = Self.limit
        configuration.closeTimeout = .milliseconds(500)
    }

    // Proof of SV-4, X10.
    @Test("What waits for them is bounded, they are cut, the members hear of it, and the others get everything")
    func bounded() async throws {
        try await withServer(quietApplication, configure) { server in
            let good = [try await TestClient.connect(server), try await TestClient.connect(server)]
            for (number, client) in good.enumerated() {
                try await client.requestSubscription("presence-x", user: "good\(number)")
                try await client.skip(to: PusherEventName.subscriptionSucceeded)
            }
            try await good[0].expect(PusherEventName.memberAdded)
            var slow: [TestClient] = []
            for number in 0..<4 {
                let client = try await TestClient.connect(server)
                try await client.subscribe("presence-x", user: "slow\(number)")
                for other in good { try await other.expect(PusherEventName.memberAdded) }
                try await client.setReading(false)
                slow.append(client)
            }
            let data = String(repeating: "x", count: 10_000)
            var removed = [0, 0]
            var most = 0
            var sent = 0
            while server.statistics.slowSubscribersCut < 4, sent < 10_000 {
                try server.publish(channel: "presence-x", event: "tick", data: data)
                sent += 1
                for (number, client) in good.enumerated() {
                    while case .message(let message) = try await client.next(), message.event != "tick" {
                        #expect(message.event == PusherEventName.memberRemoved)
                        removed[number] += 1
                    }
                }
                if sent % 8 == 0 { most = max(most, try await server.mostPendingBytes()) }
            }
            await eventually { server.statistics.slowSubscribersCut == 4 }
            #expect(server.statistics.slowSubscribersCut == 4)
            // The message with which the limit was passed, and the farewell, are beyond it.
            #expect(most <= Self.limit + 16_384)
            for (number, client) in good.enumerated() {
                while removed[number] < 4 {
                    try await client.expect(PusherEventName.memberRemoved)
                    removed[number] += 1
                }
                try await client.expectSilence()
            }
            for client in good + slow { await client.closeSocket() }
            #expect(try await server.leftoversInTheEnd() == Leftovers())
        }
    }

    @Test("Publishing goes on while nobody reads: no publisher waits")
    func publishersDoNotWait() async throws {
        try await withServer(quietApplication, configure) { server in
            var slow: [TestClient] = []
            for _ in 0..<8 {
                let client = try await TestClient.connect(server)
                try await client.subscribe("room")
                try await client.setReading(false)
                slow.append(client)
            }
            let event = #"{"name":"tick","channel":"room","data":"\#(String(repeating: "x", count: 9_000))"}"#
            let publisher = try await TestClient.connect(server)
            try await publisher.subscribe("private-x")
            for _ in 0..<200 { #expect(try await server.post("/apps/1001/events", event).status == 200) }
            try await publisher.expectSilence()
            #expect(try await server.mostPendingBytes() <= Self.limit + 16_384)
            // Sockets take some megabytes by themselves; whoever is not cut yet is within the limit.
            for client in slow { await client.closeSocket() }
        }
    }
}
