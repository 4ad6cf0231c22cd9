import LifelineServer
import NIOCore
import Testing

@testable import ServerTestSupport

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

    // Proof of SV-11, SV-5.
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

    // Proof of SV-11, SV-5.
    @Test("A body that does not arrive gets 408")
    func slowBody() async throws {
        try await withServer(
            quietApplication,
            {
                $0.requestTimeout = .seconds(4)
                $0.closeTimeout = .milliseconds(100)
            }
        ) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("POST /apps/1001/events HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
            #expect(try await socket.textToEnd().contains("HTTP/1.1 408 "))
        }
    }

    // Proof of SV-5.
    @Test(
        "Half a head gets 408, whoever reads it", arguments: ["GET", "HEAD"],
        ["GET / HT", "POST /apps/1001/events HTTP/1.1\r\nHost: a\r\nX"])
    func slowHead(before: String, part: String) async throws {
        let clock = ManualClock()
        try await withServer(
            quietApplication,
            {
                $0.clock = clock.clock
                // Only what has begun is waited for in this test.
                $0.keepAliveTimeout = .seconds(1_000_000)
            }
        ) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("\(before) /health HTTP/1.1\r\nHost: a\r\n\r\n")
            let body = before == "GET" ? #"{"status":"ok"}"# : ""
            #expect(try await socket.text(upTo: "\r\n\r\n" + body).hasPrefix("HTTP/1.1 200 "))
            // An empty line, which some clients put between, is no beginning.
            try await socket.send(before == "HEAD" ? "\r\n" + part : part)
            var text = ""
            for _ in 0..<300 {
                // Until it has come, time passes for nobody.
                clock.advance(by: 11)
                do {
                    while let bytes = try await socket.next(within: .milliseconds(100)) { text += String(buffer: bytes) }
                    break
                } catch is RawSocket.TimedOut {}
            }
            #expect(text.hasPrefix("HTTP/1.1 408 "))
            #expect(text.hasSuffix("in time.\n"), "The body is missing, as if it were an answer to HEAD.")
        }
    }

    @Test("A refusal of what is no HTTP has its body, also behind a HEAD")
    func malformedBehindHead() async throws {
        try await withServer(quietApplication, { $0.closeTimeout = .milliseconds(100) }) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await socket.text(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            try await socket.send("nonsense\r\n\r\n")
            #expect(try await socket.textToEnd().hasSuffix("\r\n\r\nThe request is not valid HTTP/1.1.\n"))
            let metrics = try MetricsParser(try await server.request("GET", "/metrics").body)
            #expect(metrics.value("lifeline_http_requests_total", ["route": "metrics", "status": "4xx"]) == 0)
            #expect(metrics.value("lifeline_http_requests_total", ["route": "other", "status": "4xx"]) == 1)
        }
    }

    @Test("A method that is not there is told which ones are (RFC 9110, 15.5.6)")
    func allow() async throws {
        let paths = [
            ("PUT", "/apps/1001/events", "POST"), ("GET", "/apps/1001/batch_events", "POST"),
            ("POST", "/apps/1001/channels", "GET, HEAD"), ("DELETE", "/apps/1001/channels/a", "GET, HEAD"),
            ("POST", "/apps/1001/channels/a/users", "GET, HEAD"), ("GET", "/apps/1001/users/u/terminate_connections", "POST"),
            ("GET", "/users/u/terminate_connections", "POST"), ("POST", "/health", "GET, HEAD"), ("PUT", "/time/0", "GET"),
        ]
        for origins in [[], ["*"]] {
            try await withServer(quietApplication, { $0.corsOrigins = origins }) { server in
                let client = try await PollClient.connect(server)
                for (method, path, allowed) in paths + [("POST", "/metrics", "GET, HEAD")] {
                    try await client.socket.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                    let reply = try await client.reply()
                    let expected = origins.isEmpty || path == "/metrics" ? allowed : allowed + ", OPTIONS"
                    #expect(reply.status == 405 && reply.head.contains("\r\nallow: \(expected)\r\n"), "\(method) \(path)")
                }
            }
        }
    }

    @Test(
        "A target has the same room on every connection, whatever it has carried before and however its request is written",
        arguments: [(20_000, 200), (32_000, 200), (33_500, 414), (48_000, 414), (66_000, 414), (200_000, 414)])
    func longTargets(length: Int, status: Int) async throws {
        let target = "/health?" + String(repeating: "x", count: length)
        let field = "X: " + String(repeating: "y", count: 8000) + "\r\n"
        try await withServer(quietApplication, { $0.closeTimeout = .milliseconds(100) }) { server in
            for before in ["", "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"] {
                for request in ["GET \(target) HTTP/1.1\r\nHost: a\r\n", "HEAD \(target) HTTP/1.1\r\nHost: a\r\n" + field] {
                    let client = try await PollClient.connect(server)
                    if !before.isEmpty {
                        try await client.socket.send(before)
                        #expect(try await client.reply().status == 200)
                    }
                    try await client.socket.send(request + "Connection: close\r\n\r\n")
                    let answer = try await client.socket.textToEnd()
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(before) \(request.prefix(4)): \(answer.prefix(80))")
                }
            }
        }
    }

    @Test(
        "A target that is too long for the parser is refused in the terms of its API, also behind another request (SV-9, PV-4)",
        arguments: ["GET", "DELETE"])
    func tooLongForParser(method: String) async throws {
        let name = String(repeating: "c", count: 70_000)
        try await withServer(quietApplication, { $0.closeTimeout = .milliseconds(100) }) { server in
            for (target, body) in [
                ("/v3/history/sub-key/demo/channel/\(name)", #"{"status":414,"service":"Balancer","error":true,"#),
                ("/v2/subscribe/demo/\(name)/0?uuid=u", #"{"status":414,"service":"Balancer","error":true,"#),
                ("/apps/1001/channels?filter_by_prefix=\(name)", "The request target is longer than 32768 bytes."),
            ] {
                let before = "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
                for (isSecond, isPipelined) in [(false, false), (true, false), (true, true)] {
                    let client = try await PollClient.connect(server)
                    if isSecond, !isPipelined {
                        try await client.socket.send(before)
                        #expect(try await client.reply().status == 200)
                    }
                    try await client.socket.send((isPipelined ? before : "") + "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                    if isPipelined { #expect(try await client.reply().status == 200) }
                    let answer = try await client.socket.textToEnd()
                    #expect(answer.hasPrefix("HTTP/1.1 414 ") && answer.contains(body), "\(answer.prefix(600))")
                }
            }
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

    // Proof of SV-9, PV-3.
    @Test("What is no HTTP gets 400, a header that is too large 431", arguments: Malformed.allCases)
    func malformed(_ malformed: Malformed) async throws {
        try await withServer(quietApplication, { $0.closeTimeout = .milliseconds(100) }) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send(malformed.text)
            // What is only too large says so.
            let status = malformed == .longField || malformed == .manyFields ? 431 : 400
            #expect(try await socket.textToEnd().hasPrefix("HTTP/1.1 \(status) "))
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

    // Proof of PV-2, SV-4, SV-5.
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
