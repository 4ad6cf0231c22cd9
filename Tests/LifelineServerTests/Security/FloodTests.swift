import LifelineServer
import NIOCore
import PusherProtocol
import Testing
import WebSocketFraming

@testable import ServerTestSupport

@Suite("Floods of frames, channels and connections (SV-3, SV-5, SV-6, SP-21, X9, X10)", .timeLimit(.minutes(5)))
struct FloodTests {
    // Proof of SV-6.
    @Test("A frame of 1 MiB ends its connection with 1009 and no other (X9)")
    func largeFrame() async throws {
        try await withServer { server in
            let good = try await TestClient.connect(server)
            try await good.subscribe("room")
            for opcode in [WebSocketOpcode.text, .binary] {
                let attacker = try await TestClient.connect(server)
                try? await attacker.sendFrame(opcode, String(repeating: "x", count: 1 << 20))
                guard case .close(1009?, _) = try await attacker.next() else {
                    Issue.record("no close frame with 1009")
                    return
                }
                try server.publish(channel: "room", event: "tick", data: "1")
                try await good.expect("tick")
            }
        }
    }

    // Proof of SP-9, SP-63.
    @Test("One connection with 10,000 channels is stopped at its limit, disturbs nobody, and leaves nothing behind (X9)")
    func manyChannels() async throws {
        try await withServer { server in
            let good = try await TestClient.connect(server)
            try await good.subscribe("room")
            let attackers = [try await TestClient.connect(server), try await TestClient.connect(server)]
            for attacker in attackers {
                for number in 0..<10_000 { try await attacker.send(PusherClientFrames.subscribe(channel: "room-\(number)")) }
                try server.publish(channel: "room", event: "tick", data: "1")
                try await good.expect("tick")
            }
            for attacker in attackers {
                for _ in 0..<10_000 { try await attacker.expect(PusherEventName.subscriptionSucceeded) }
                try await attacker.send(PusherClientFrames.subscribe(channel: "one-more"))
                #expect(try await attacker.expectError().message.contains("10000"))
            }
            #expect(server.statistics.channels == 10_001)
            for attacker in attackers { await attacker.closeSocket() }
            await good.closeSocket()
            #expect(try await server.leftoversInTheEnd() == Leftovers())
        }
    }

    @Test("500 half handshakes are cut, and a good client connects meanwhile (X10)")
    func halfHandshakes() async throws {
        try await withServer(quietApplication, { $0.requestTimeout = .seconds(2) }) { server in
            var sockets: [RawSocket] = []
            for number in 0..<500 {
                let socket = try await RawSocket.connect(port: server.port)
                let handshake = "GET /app/app-key?protocol=7 HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                try? await socket.send(String(handshake.prefix(number % handshake.utf8.count)))
                sockets.append(socket)
                if number % 50 == 0 {
                    let good = try await TestClient.connect(server)
                    try await good.expectSilence()
                    await good.closeSocket()
                }
            }
            let good = try await TestClient.connect(server)
            try await good.expectSilence()
            for socket in sockets { _ = try await socket.textToEnd() }
            await good.closeSocket()
            #expect(try await server.leftoversInTheEnd() == Leftovers())
        }
    }

    @Test("10,000 connections that close at once leave nothing behind, and a good client gets through (X10)")
    func connectAndClose() async throws {
        try await withServer { server in
            let good = try await TestClient.connect(server)
            let port = server.port
            for round in 0..<100 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask { try await Self.connectAndReset(port: port, sending: number % 2 == 0) }
                    }
                    try await group.waitForAll()
                }
                if round % 10 == 0 { try await good.expectSilence() }
            }
            try await TestClient.connect(server).expectSilence()
            await good.closeSocket()
            #expect(try await server.leftoversInTheEnd() == Leftovers())
        }
    }

    /// Resets the connection, so that no port stays in use.
    private static func connectAndReset(port: Int, sending: Bool) async throws {
        let socket = try await RawSocket.connect(port: port)
        if sending { try? await socket.send("GET /app/app-key HT") }
        await socket.reset()
    }
}
