import ConnectionEngine
import Testing

@testable import HTTPTransport

@Suite struct AnswerTests {
    @Test func `A poll reaches the server as it was asked for, and its answer the decoder`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.send(
            .poll(
                HTTPExchange(
                    id: 7, target: "/v2/subscribe/demo/a%2Cb%252F/0?tt=17%2B1&filter-expr=a%20%7C%7C%20b",
                    headers: [.init("X-One", "1")], timeout: .seconds(60))))
        let peer = try await server.peers.next()
        let request = try await peer.requests.next()
        #expect(request.hasPrefix("GET /v2/subscribe/demo/a%2Cb%252F/0?tt=17%2B1&filter-expr=a%20%7C%7C%20b HTTP/1.1\r\n"))
        let fields = request.lowercased()
        #expect(fields.contains("\r\nhost: 127.0.0.1:\(server.port)\r\n") && fields.contains("\r\nx-one: 1\r\n"))
        #expect(!fields.contains("lifeline") && !fields.contains("content-length"))
        peer.answer("{\"t\":1}", headers: "Content-Type: application/json; charset=UTF-8\r\n")
        let inbound = try await client.outcome()
        #expect(inbound.id == 7)
        let expected = HTTPAnswerHead(status: 200, contentType: "application/json; charset=UTF-8", retryAfter: nil)
        #expect(try inbound.result.get() == PlainAnswer(head: expected, body: "{\"t\":1}", isPoll: true))
    }

    @Test func `Rule HT-6: an attempt is open at once, before anything is dialled`() async throws {
        let server = try await PollServer()
        let endpoint = server.endpoint
        try await server.stop()
        // Nobody listens there any more: whoever dialled would have failed by the time of the first request's answer.
        let client = try await PollClient(to: endpoint)
        for number: UInt64 in 1...3 {
            client.poll(number)
            let outcome = try await client.outcome()
            #expect(outcome.id == number)
            #expect(throws: ConnectionFailure.self) { try outcome.result.get() }
        }
        #expect(server.connectionCount == 0)
        // Only a goodbye ends the attempt.
        client.close(.goodbye)
        guard case .closed = try await client.events.next() else { return #expect(Bool(false), "the attempt goes on") }
    }

    @Test func `Rule HT-8: polls share one connection, and calls have others`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let poll = try await server.peers.next()
        try await poll.serve("one")
        #expect(try await client.answer().body == "one")
        client.poll(2)
        _ = try await poll.requests.next()
        client.call(3)
        client.call(4)
        let first = try await server.peers.next()
        let second = try await server.peers.next()
        try await first.serve("call")
        try await second.serve("call")
        let calls = try await [client.outcome(), client.outcome()]
        #expect(Set(calls.map(\.id)) == [3, 4])
        #expect(try calls.allSatisfy { try !$0.result.get().isPoll })
        poll.answer("two")
        #expect(try await client.answer().body == "two")
        #expect(server.connectionCount == 3)
    }

    @Test func `A POST arrives with its body and its length`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.send(
            .call(
                HTTPExchange(
                    id: 1, method: "POST", target: "/publish/a/b/0/c/0", headers: [.init("Content-Type", "application/json")],
                    body: Array("{\"a\":1}".utf8), timeout: .seconds(60))))
        let peer = try await server.peers.next()
        let request = try await peer.requests.next()
        #expect(request.hasPrefix("POST /publish/a/b/0/c/0 HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\n{\"a\":1}"))
        #expect(request.lowercased().contains("\r\ncontent-length: 7\r\n"))
        peer.answer("[1,\"Sent\",\"17\"]")
        #expect(try await client.answer().body == "[1,\"Sent\",\"17\"]")
    }

    @Test(arguments: [
        ("200 OK", "Content-Type: text/html\r\n", 200, "text/html", nil),
        ("302 Found", "Location: http://127.0.0.1:1/login\r\n", 302, nil, nil),
        ("511 Network Authentication Required", "Content-Type: text/html\r\n", 511, "text/html", nil),
        ("407 Proxy Authentication Required", "Proxy-Authenticate: Basic\r\n", 407, nil, nil),
        ("403 Forbidden", "", 403, nil, nil), ("414 URI Too Long", "", 414, nil, nil),
        ("503 Busy", "Retry-After: 7\r\n", 503, nil, Duration.seconds(7)),
        ("503 Busy", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 503, nil, Duration.zero),
        ("429 Slow down", "Retry-After: soon\r\n", 429, nil, nil),
    ])
    func `Rules HT-1 and HT-9: whatever comes with a status is the decoder's to judge`(
        status: String, headers: String, code: Int, type: String?, retryAfter: Duration?
    ) async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll()
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.answer("<html>Sign in</html>", status: status, headers: headers)
        let answer = try await client.answer()
        #expect(answer.head == HTTPAnswerHead(status: code, contentType: type, retryAfter: retryAfter))
        #expect(answer.body == "<html>Sign in</html>")
        #expect(server.connectionCount == 1)
    }

    @Test func `Answers in chunks and in pieces are put together`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll()
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        guard case .heard = try await client.events.next() else { throw PollClient.Unexpected(event: "not heard") }
        peer.write("2\r\nde\r\n0\r\n\r\n")
        #expect(try await client.answer().body == "abcde")
    }

    @Test func `Rule HT-10: the first bytes of a head prove life`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll()
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 2")
        guard case .heard = try await client.events.next() else { throw PollClient.Unexpected(event: "not heard") }
        peer.write("00 OK\r\nContent-Length: 1\r\n\r\nx")
        #expect(try await client.answer().body == "x")
    }

    @Test func `A body may be as long as the limit and no longer`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(LongPollTransportConfiguration(bodyLimit: 1000), to: server.endpoint)
        client.poll(1)
        var peer = try await server.peers.next()
        try await peer.serve(String(repeating: "x", count: 1000))
        #expect(try await client.answer().body.count == 1000)
        client.poll(2)
        try await peer.serve(String(repeating: "x", count: 1001))
        #expect(try await client.failure().category == .malformedResponse)
        client.poll(3)
        peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<11 { peer.write("64\r\n" + String(repeating: "y", count: 100) + "\r\n") }
        #expect(try await client.failure().category == .malformedResponse)
        #expect(try await peer.ended.next())
    }

    @Test(arguments: [
        "HELLO\r\n\r\n", "<html>", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
    ])
    func `What is not HTTP is malformed`(bytes: String) async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll()
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write(bytes)
        peer.close()
        #expect(try await client.failure().category == .malformedResponse)
    }

    @Test func `Answers that nobody asked for close the connection and harm nobody`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write(answer("200 OK", "one") + answer("200 OK", "two"))
        #expect(try await client.answer().body == "one")
        #expect(try await peer.ended.next())
        client.poll(2)
        try await server.peers.next().serve("three")
        #expect(try await client.answer().body == "three")
    }

    @Test(arguments: [
        HTTPExchange(id: 1, target: "", timeout: .seconds(1)), HTTPExchange(id: 1, target: "time/0", timeout: .seconds(1)),
        HTTPExchange(id: 1, target: "/a b", timeout: .seconds(1)),
        HTTPExchange(id: 1, target: "/a\r\nX: y", timeout: .seconds(1)),
        HTTPExchange(id: 1, target: "/ä", timeout: .seconds(1)),
        HTTPExchange(id: 1, target: "/", headers: [.init("X", "a\r\nY: b")], timeout: .seconds(1)),
        HTTPExchange(id: 1, target: "/", headers: [.init("X Y", "a")], timeout: .seconds(1)),
        HTTPExchange(id: 1, target: "/", headers: [.init("", "a")], timeout: .seconds(1)),
        HTTPExchange(id: 1, method: "GET / HTTP/1.1\r\n", target: "/", timeout: .seconds(1)),
        HTTPExchange(id: 1, method: "", target: "/", timeout: .seconds(1)),
    ])
    func `Rule HT-7: what cannot be sent is refused before anything is dialled`(exchange: HTTPExchange) async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.send(.poll(exchange))
        #expect(try await client.failure().category == .badRequest)
        client.send(.call(exchange))
        #expect(try await client.failure().category == .badRequest)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["", "a b", "a/b", "u@h", "a\r\nb", "[::1"])
    func `Hosts that are none are refused`(host: String) async throws {
        let client = try await PollClient(to: HTTPEndpoint(host: host, port: 80, usesTLS: false))
        client.poll()
        #expect(try await client.failure().category == .badRequest)
    }

    @Test(arguments: [0, -1, 65536])
    func `Ports that are none are refused`(port: Int) async throws {
        let client = try await PollClient(to: HTTPEndpoint(host: "127.0.0.1", port: port, usesTLS: false))
        client.poll()
        #expect(try await client.failure().category == .badRequest)
    }

    @Test func `Rule HT-8: every request leaves in one write`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        let body = Array(repeating: UInt8(ascii: "x"), count: 1000)
        client.call(0)
        let peer = try await server.peers.next()
        try await peer.serve()
        _ = try await client.answer()
        for number in 1...100 as ClosedRange<UInt64> {
            client.send(
                .call(HTTPExchange(id: number, method: "POST", target: "/publish", body: body, timeout: .seconds(60))))
            try await peer.serve()
            _ = try await client.answer()
        }
        #expect(peer.reads.waiting.count == 101)
    }
}
