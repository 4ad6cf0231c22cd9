import LifelineServer
import NIOCore
import PusherProtocol
import Testing

@testable import ServerTestSupport

/// Hazard 3 of servers: a client whose WebSocket library answers pings, or sends its own, never sends a message of the protocol.
@Suite("Control frames are signs of life (SP-12, hazard 3)", .timeLimit(.minutes(1)))
struct ControlFrameTests {
    private let clock = ManualClock()

    private func configure(_ configuration: inout ServerConfiguration) {
        configuration.clock = clock.clock
        configuration.closeTimeout = .milliseconds(160)
    }

    /// A connection that says nothing at all: when it is cut, time has been looked at.
    private func witness(_ server: LifelineServer) async throws -> TestClient {
        try await TestClient.connect(server)
    }

    // Proof of H3, G6.
    @Test("As PusherSwift: a client that sends only WebSocket pings, each after the activity timeout, lives on")
    func pingsOnly() async throws {
        try await withServer(quietApplication, configure) { server in
            let client = try await TestClient.connect(server)
            for _ in 0..<3 {
                let witness = try await witness(server)
                clock.advance(by: 140)
                try await client.sendFrame(.ping, "a")
                #expect(try await client.next() == .pong("a"))
                clock.advance(by: 10)
                try await witness.expect(PusherEventName.ping)
                #expect(try await witness.next() == .ping)
                clock.advance(by: 30)
                #expect(try await witness.expectFarewell() == 4201)
                try await client.sendFrame(.ping, "b")
                #expect(try await client.next() == .pong("b"))
            }
            try await client.expectSilence()
            await eventually { server.statistics.deadConnectionsCut == 3 }
            #expect(server.statistics.deadConnectionsCut == 3)
        }
    }

    // Proof of H3.
    @Test("A client that never sends anything, but whose library answers WebSocket pings, lives on")
    func pongsOnly() async throws {
        try await withServer(quietApplication, configure) { server in
            let client = try await TestClient.connect(server)
            for _ in 0..<3 {
                let witness = try await witness(server)
                clock.advance(by: 150)
                for other in [client, witness] {
                    try await other.expect(PusherEventName.ping)
                    #expect(try await other.next() == .ping)
                }
                try await client.sendFrame(.pong, "")
                // The answer has to be there before time goes on.
                try await client.sendFrame(.ping, "")
                #expect(try await client.next() == .pong(""))
                clock.advance(by: 30)
                #expect(try await witness.expectFarewell() == 4201)
            }
            try await client.expectSilence()
            await eventually { server.statistics.deadConnectionsCut == 3 }
            #expect(server.statistics.deadConnectionsCut == 3)
        }
    }

    @Test("A member whose connection dies without a word is removed within the bound (F69)")
    func ghost() async throws {
        try await withServer(quietApplication, configure) { server in
            let ghost = try await TestClient.connect(server)
            try await ghost.subscribe("presence-x", user: "ghost")
            let ann = try await TestClient.connect(server)
            try await ann.subscribe("presence-x", user: "ann")
            clock.advance(by: 149)
            try await ann.expectSilence()
            clock.advance(by: 1)
            try await ghost.skip(to: PusherEventName.ping)
            clock.advance(by: 30)
            #expect(try await ann.expect(PusherEventName.memberRemoved).data == #"{"user_id":"ghost"}"#)
        }
    }
}
