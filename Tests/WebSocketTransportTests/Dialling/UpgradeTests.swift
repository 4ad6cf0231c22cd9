import ConnectionEngine
import SocketTestSupport
import Testing
import WebSocketFraming

@testable import WebSocketTransport

@Suite struct UpgradeTests {
    @Test func `The request is a handshake with target, host, headers and subprotocols`() async throws {
        let server = try await TestServer()
        let client = TestClient()
        var endpoint = server.endpoint()
        endpoint.headers = [.init("X-One", "1"), .init("User-Agent", "Lifeline/5 (test)")]
        endpoint.subprotocols = ["a", "b"]
        client.open(endpoint)
        let peer = try await server.peers.next()
        let request = try await peer.requests.next()
        peer.requests.put(request)
        let lines = request.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "GET /app/key?v=1 HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:\(server.port)") && lines.contains("X-One: 1"))
        #expect(lines.filter { $0.lowercased().hasPrefix("user-agent:") } == ["User-Agent: Lifeline/5 (test)"])
        #expect(lines.contains("Sec-WebSocket-Protocol: a, b") && lines.contains("Sec-WebSocket-Version: 13"))
        try await peer.accept(extra: "Sec-WebSocket-Protocol: b\r\n")
        try await client.opened()
    }

    @Test func `Frames behind the answer reach the session, wherever the bytes are cut`() async throws {
        let server = try await TestServer()
        let behind = text("one") + text("two")
        for split in stride(from: 1, to: 150, by: 7) {
            let client = TestClient()
            client.open(server.endpoint())
            let peer = try await server.peers.next()
            let bytes = try await peer.answer() + behind
            peer.write(Array(bytes.prefix(split)))
            // A turn of the loop between the pieces, so that they leave apart.
            try await peer.channel.eventLoop.submit {}.get()
            peer.write(Array(bytes.dropFirst(split)))
            try await client.opened()
            var arrivals: [Arrival] = []
            while arrivals.count < 2 { arrivals += try await client.received() }
            #expect(arrivals == [.text("one"), .text("two")])
        }
    }

    @Test func `Answer, message, close frame and end in one segment are reported in order`() async throws {
        let server = try await TestServer()
        for _ in 0..<20 {
            let client = TestClient()
            client.open(server.endpoint())
            let peer = try await server.peers.next()
            try await peer.accept(behind: text("last") + closeFrame(4001, "no app"))
            peer.close()
            try await client.opened()
            #expect(try await client.received() == [.text("last")])
            let failure = try await client.closed()
            #expect(failure.closeCode == 4001 && failure.reason == "no app" && failure.origin == .server)
        }
    }

    @Test(
        "Rule WT-9: an answer that is no upgrade ends the dial with its category",
        arguments: [
            ("401 Unauthorized", "Content-Length: 0\r\n", StatusCategory.accessDenied), ("403 Forbidden", "", .accessDenied),
            ("404 Not Found", "", .unknown), ("407 Proxy Authentication Required", "", .proxyUnavailable),
            ("429 Too Many Requests", "Retry-After: 7\r\n", .overloaded), ("500 Internal Server Error", "", .unknown),
            ("503 Service Unavailable", "Retry-After: 7\r\n", .overloaded),
        ])
    func refusal(status: String, headers: String, category: StatusCategory) async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint())
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 \(status)\r\n\(headers)\r\n<html>login</html>")
        let failure = try await client.closed()
        #expect(failure.category == category)
        #expect(failure.httpStatus == Int(status.prefix(3)))
        #expect(failure.retryAfter == (category == .overloaded ? .seconds(7) : nil))
        #expect(try await peer.frames.next() == .end)
    }

    @Test(
        "F76: what a captive portal answers is no answer, and the reason says so",
        arguments: [
            ("200 OK", "Content-Type: text/html; charset=utf-8\r\n", "web page"),
            ("200 OK", "Content-Type: application/json\r\n", "expected protocol"),
            ("302 Found", "Location: http://portal.example/login\r\n", "redirects are not followed"),
            ("511 Network Authentication Required", "Content-Type: text/html\r\n", "requires a sign-in"),
        ])
    func captivePortal(status: String, headers: String, words: String) async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint())
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 \(status)\r\n\(headers)Content-Length: 18\r\n\r\n<html>login</html>")
        let failure = try await client.closed()
        #expect(failure.category == .malformedResponse && failure.httpStatus == Int(status.prefix(3)))
        #expect(failure.reason.contains(words), "\(failure)")
        #expect(try await peer.frames.next() == .end)
        #expect(client.events.waiting.isEmpty, "Nothing of a portal is ever a message.")
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        var bytes: String
        var testDescription: String { String(bytes.prefix(30).filter { $0.isLetter || $0.isNumber }) }
    }

    // Proof of WT-10.
    @Test(
        arguments: [
            "HELLO\r\n\r\n", "<html>", "\u{15}\u{3}\u{1}", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 200_000) + "\r\n\r\n",
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20_000),
        ].map(Answer.init))
    func `What is not the protocol is malformed`(answer: Answer) async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint())
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write(answer.bytes)
        #expect(try await client.closed().category == .malformedResponse)
        #expect(try await peer.frames.next() == .end)
    }

    @Test(arguments: ["Sec-WebSocket-Protocol: c\r\n", "Sec-WebSocket-Extensions: permessage-deflate\r\n"])
    func `What was not offered may not be picked`(extra: String) async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint())
        try await server.peers.next().accept(extra: extra)
        #expect(try await client.closed().category == .malformedResponse)
    }

    @Test(arguments: [false, true])
    func `A handshake cut after any number of bytes ends the dial`(reset: Bool) async throws {
        let server = try await TestServer()
        for count in stride(from: 0, to: 128, by: 9) {
            let client = TestClient()
            client.open(server.endpoint())
            let peer = try await server.peers.next()
            let answer = try await peer.answer()
            #expect(count < answer.count)
            peer.write(Array(answer.prefix(count)))
            if reset { peer.reset() } else { peer.close() }
            let failure = try await client.closed()
            #expect(failure.category == .networkUnavailable, "after \(count) bytes: \(failure)")
        }
    }

    @Test func `A connection that nobody accepts ends the dial at its limit`() async throws {
        let hole = try Blackhole()
        let client = TestClient(WebSocketTransportConfiguration(dialTimeout: .milliseconds(300)))
        client.open(WebSocketEndpoint(host: "127.0.0.1", port: hole.port, usesTLS: false, target: "/"))
        #expect(try await client.closed().category == .timeout)
    }

    @Test func `A server that says nothing ends the dial at its limit`() async throws {
        let server = try await TestServer()
        let client = TestClient(WebSocketTransportConfiguration(dialTimeout: .seconds(1)))
        client.open(server.endpoint())
        #expect(try await client.closed().category == .timeout)
        #expect(try await server.peers.next().frames.next() == .end)
    }
}
