import LifelineServer
import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import ServerTestSupport

@Suite("Connecting (SP-1 to SP-4)", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("A new connection is greeted with a socket id and the activity timeout")
    func greeting() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            let id = await client.socketID
            #expect(PusherLimits.accepts(socketID: id))
            try await client.expectSilence()
        }
    }

    // Proof of H1.
    @Test("The subprotocol of Pusher is echoed when it is offered and left out when not (hazard 1)")
    func subprotocol() async throws {
        try await withServer { server in
            let with = try await TestClient.open(server, fields: "Sec-WebSocket-Protocol: pusher-channels-protocol-7\r\n")
            #expect(await with.answer.contains("Sec-WebSocket-Protocol: pusher-channels-protocol-7\r\n"))
            let other = try await TestClient.open(server, fields: "Sec-WebSocket-Protocol: chat\r\n")
            #expect(await other.answer.hasPrefix("HTTP/1.1 101 "))
            #expect(await !other.answer.contains("Sec-WebSocket-Protocol"))
        }
    }

    @Test(
        "Refusals come as an error and a close frame of the same code",
        arguments: [
            ("/app/nobody?protocol=7", 4001), ("/app/disabled?protocol=7", 4003), ("/elsewhere", 4005), ("/app/", 4005),
            ("/app/app-key?protocol=seven", 4006), ("/app/app-key?protocol=", 4006), ("/app/app-key?protocol=-1", 4006),
            ("/app/app-key?protocol=3", 4007), ("/app/app-key?protocol=8", 4007),
        ] as [(String, UInt16)])
    func refusals(path: String, code: UInt16) async throws {
        let disabled = Application(id: "2", key: "disabled", secret: "s", isEnabled: false)
        let registry = InMemoryApplicationRegistry([.development, disabled])
        try await withServer(quietApplication, { $0.applications = registry }) { server in
            let client = try await TestClient.open(server, path: path)
            #expect(try await client.expectFarewell() == code)
            #expect(server.statistics.connections == 0)
        }
    }

    @Test("A missing protocol version is taken for the current one")
    func missingVersion() async throws {
        try await withServer { server in
            let client = try await TestClient.open(server, path: "/app/app-key")
            try await client.expect(PusherEventName.connectionEstablished)
        }
    }

    // Proof of SP-4, SV-3, CP-31.
    @Test("Beyond an application's quota 4004, and a place that gets free can be taken")
    func quota() async throws {
        var application = quietApplication
        application.limits.connections = 1
        try await withServer(application) { server in
            // Again and again: the place is free before the end can be seen, on whichever loop the next connection lands.
            for _ in 1...20 {
                let first = try await TestClient.connect(server)
                let second = try await TestClient.open(server)
                #expect(try await second.expectFarewell() == 4004)
                try await first.sendClose(1000)
                #expect(try await first.next() == .close(1000, ""))
                #expect(try await first.next() == .end)
            }
            _ = try await TestClient.connect(server)
        }
    }

    @Test("Beyond the server's capacity 4100")
    func capacity() async throws {
        try await withServer(quietApplication, { $0.maximumConnections = 1 }) { server in
            let first = try await TestClient.connect(server)
            let second = try await TestClient.open(server)
            #expect(try await second.expectFarewell() == 4100)
            try await first.expectSilence()
        }
    }

    @Test("Without an upgrade the path of connections says what it is for (RFC 9110, 15.5.22)", arguments: ["GET", "HEAD"])
    func noUpgrade(method: String) async throws {
        try await withServer { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("\(method) /app/app-key?protocol=7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let answer = try await socket.textToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 426 "))
            #expect(answer.contains("\r\nupgrade: websocket\r\n") && answer.contains("\r\nconnection: upgrade, close\r\n"))
        }
    }

    @Test("Frames behind the handshake in the same segment are read")
    func earlyFrames() async throws {
        try await withServer { server in
            let socket = try await RawSocket.connect(port: server.port)
            // A ping with the payload "hi", masked with zeros.
            var bytes = ByteBuffer(
                string: "GET /app/app-key HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            // A ping with the payload "hi", masked with zeros.
            bytes.writeBytes([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69])
            try await socket.send(bytes)
            #expect(try await socket.text(upTo: "\u{2}hi").contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        }
    }
}
