import LifelineServer
import NIOCore
import RealtimeHub
import Testing

@Suite("HTTP on the wire (SV-1, SV-5, SV-9, SV-12)", .timeLimit(.minutes(1)))
struct HTTPConnectionTests {
    @Test("Health, readiness and metrics answer without a signature")
    func ownPaths() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            #expect(try await server.request("GET", "/health").status == 200)
            #expect(try await server.request("GET", "/ready").status == 200)
            let metrics = try await server.request("GET", "/metrics")
            #expect(metrics.body.contains("\nlifeline_connections{service=\"pusher\",app=\"1001\"} 1\n"))
            #expect(metrics.body.contains("\nlifeline_channels{service=\"pusher\",app=\"1001\"} 1\n"))
            #expect(metrics.body.contains("# TYPE lifeline_messages_sent_total counter\n"))
            #expect(try await server.request("GET", "/nothing").status == 404)
            #expect(try await server.request("POST", "/health").status == 405)
            #expect(try await server.request("GET", "/app/app-key").status == 426)
        }
    }

    @Test("Requests on one connection are answered in order, pipelined ones too")
    func keepAlive() async throws {
        try await withServer { server in
            let socket = try await RawSocket.connect(port: server.port)
            let request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
            try await socket.send(request + "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n")
            let first = try await socket.text(upTo: "path.\n")
            #expect(first.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1") || $0.contains("HTTP/1.1 404") }.count == 2)
            #expect(first.contains("connection: keep-alive"))
            try await socket.send("HEAD /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let last = try await socket.textToEnd()
            #expect(last.contains("content-length: 15") && last.contains("connection: close") && last.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("A client that waits for 100 Continue gets it")
    func expectContinue() async throws {
        try await withServer { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send(
                "POST /apps/1001/events HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await socket.text(upTo: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await socket.send("{}")
            #expect(try await socket.text(upTo: "\r\n\r\n").contains("HTTP/1.1 401 Unauthorized"))
        }
    }

    @Test("Bodies beyond the limit get 413, announced or chunked")
    func bodyLimit() async throws {
        try await withServer(
            quietApplication,
            {
                $0.maximumRequestBytes = 10
                $0.closeTimeout = .milliseconds(200)
            }
        ) { server in
            let announced = try await RawSocket.connect(port: server.port)
            try await announced.send("POST /apps/1001/events HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n")
            #expect(try await announced.textToEnd().contains("HTTP/1.1 413 "))
            let chunked = try await RawSocket.connect(port: server.port)
            try await chunked.send(
                "POST /apps/1001/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n")
            #expect(try await chunked.textToEnd().contains("HTTP/1.1 413 "))
        }
    }

    @Test("A body that does not arrive gets 408")
    func slowBody() async throws {
        try await withServer(
            quietApplication,
            {
                $0.requestTimeout = .milliseconds(1500)
                $0.closeTimeout = .milliseconds(100)
            }
        ) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("POST /apps/1001/events HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
            #expect(try await socket.textToEnd().contains("HTTP/1.1 408 "))
        }
    }

    enum Malformed: CaseIterable {
        case noRequest, badField, badLength, badTarget, longField, manyFields

        var text: String {
            switch self {
            case .noRequest: "nonsense\r\n\r\n"
            case .badField: "GET / HTTP/1.1\r\nbad header\r\n\r\n"
            case .badLength: "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"
            case .badTarget: "GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            case .longField: "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 9000))\r\n\r\n"
            case .manyFields: "GET / HTTP/1.1\r\n\(String(repeating: "X: y\r\n", count: 70))\r\n"
            }
        }
    }

    @Test("What is no HTTP gets 400", arguments: Malformed.allCases)
    func malformed(_ malformed: Malformed) async throws {
        try await withServer(quietApplication, { $0.closeTimeout = .milliseconds(100) }) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send(malformed.text)
            #expect(try await socket.textToEnd().hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test(
        "Handshakes that are not WebSocket's are refused before the upgrade",
        arguments: [
            ("Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", 426),
            ("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n", 400), ("Sec-WebSocket-Version: 13\r\n", 400),
        ])
    func badHandshake(fields: String, status: Int) async throws {
        try await withServer(quietApplication, { $0.closeTimeout = .milliseconds(100) }) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send(
                "GET /app/app-key HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(fields)\r\n")
            #expect(try await socket.textToEnd().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("An upgrade to something else is answered as an ordinary request")
    func otherUpgrade() async throws {
        try await withServer { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("GET /health HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
            #expect(try await socket.textToEnd().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A peer that asks and never reads is not read from for ever, and cut in the end")
    func askingWithoutReading() async throws {
        try await withServer(
            quietApplication,
            {
                $0.maximumPendingBytes = 16_384
                $0.keepAliveTimeout = .milliseconds(300)
            }
        ) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.setReading(false)
            let requests = ByteBuffer(
                string: String(repeating: "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", count: 2_000))
            await #expect(throws: (any Error).self) {
                while true { try await socket.send(requests) }
            }
            #expect(server.statistics.requests < 100_000)
            #expect(try await server.request("GET", "/health").status == 200)
        }
    }
}
