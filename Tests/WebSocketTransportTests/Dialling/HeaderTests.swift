import ConnectionEngine
import EngineRuntime
import Testing
import WebSocketFraming

@testable import WebSocketTransport

/// Rule WT-4 and X8: what goes on the wire is one request with the headers that were meant, and no other.
@Suite struct HeaderTests {
    @Test(arguments: [
        "Host", "host", "Connection", "Upgrade", "Sec-WebSocket-Key", "sec-websocket-version", "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Extensions", "Sec-WebSocket-Accept", "Content-Length", "Transfer-Encoding", "Proxy-Authorization",
    ])
    func `Headers of the handshake are refused by name`(name: String) async throws {
        let server = try await TestServer()
        let client = TestClient()
        var endpoint = server.endpoint()
        endpoint.headers = [.init(name, "value")]
        client.open(endpoint)
        let failure = try await client.closed()
        #expect(failure.category == .badRequest && failure.reason.contains(name) && !failure.reason.contains("value"))
        #expect(server.peers.waiting.isEmpty)
    }

    @Test func `Headers may have any number, any printable value and the same name twice`() async throws {
        let server = try await TestServer()
        let client = TestClient()
        var endpoint = server.endpoint()
        endpoint.headers = [.init("Cookie", "a=1; b=\"2\""), .init("X-One", "ä\t!"), .init("X-One", ""), .init("Origin", "null")]
        client.open(endpoint)
        let lines = try await server.peers.next().requests.next().split(separator: "\r\n").map(String.init)
        for line in ["Cookie: a=1; b=\"2\"", "X-One: ä\t!", "X-One: ", "Origin: null"] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    /// What tries to end a line, or the request.
    private static let injections = [
        "\r\nX-Evil: 1", "\nX-Evil: 1", "\rX-Evil: 1", "a\r\n\r\nGET /evil HTTP/1.1\r\nHost: evil\r\n\r\n", "\r\n X-Evil: 1",
        "a\r\nX-Evil: 1\r\n", "\u{0}\r\nX-Evil: 1", "a\u{0}", "%0d%0aX-Evil:%201", "\u{10A}X-Evil: 1", "\u{2028}X-Evil: 1",
        "\u{85}X-Evil: 1", "\u{B}X-Evil: 1", "\u{7F}X-Evil: 1",
    ]

    @Test func `X8: nothing gets a header of its own into the handshake`() async throws {
        let server = try await TestServer()
        let base = server.endpoint()
        func endpoint(_ change: (inout WebSocketEndpoint) -> Void) -> WebSocketEndpoint {
            var endpoint = base
            change(&endpoint)
            return endpoint
        }
        var tried = 0
        for injection in Self.injections {
            for endpoint in [
                endpoint { $0.headers = [.init("X-Token", injection)] },
                endpoint { $0.headers = [.init("User-Agent", injection)] },
                endpoint { $0.headers = [.init("X" + injection, "v")] },
                endpoint { $0.target = "/app/key?channel=" + injection }, endpoint { $0.subprotocols = [injection] },
                endpoint { $0.host = "127.0.0.1" + injection },
            ] {
                tried += 1
                let client = TestClient { _, _ in throw ConnectionFailure(.networkUnavailable, "No such host.") }
                client.open(endpoint)
                // Refused, or sent as one harmless request.
                guard isAskable(endpoint), endpoint.host == base.host else {
                    _ = try await client.closed()
                    continue
                }
                let peer = try await server.peers.next()
                let request = try await peer.requests.next()
                Self.check(request, injection)
                client.close(.abort)
                #expect(try await peer.frames.next() == .end, "A second request is smuggled: \(injection.debugDescription)")
            }
        }
        #expect(tried >= 80)
        #expect(server.peers.waiting.isEmpty)
    }

    private func isAskable(_ endpoint: WebSocketEndpoint) -> Bool {
        var random = SystemRandom()
        return (try? UpgradeRequest(endpoint: endpoint, key: WebSocketKey(using: &random))) != nil
    }

    private static func check(_ request: String, _ injection: String) {
        let names = request.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        let expected: Set = [
            "host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol", "x-token",
            "user-agent",
        ]
        #expect(Set(names).isSubset(of: expected), "\(injection.debugDescription) made \(names)")
        #expect(!request.dropLast(4).contains("\r\n\r\n"))
        #expect(!request.unicodeScalars.contains("\u{0}"))
    }
}
