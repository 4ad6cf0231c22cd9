import ConnectionEngine
import Dispatch
import NIOCore
import Testing

@testable import WebSocketTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct DiallingTests {
    @Test(arguments: ["::1", "[::1]"])
    func `IPv6 addresses are dialled, with and without brackets`(host: String) async throws {
        let server = try await TestServer(host: "::1")
        let client = TestClient()
        client.open(server.endpoint(host: host))
        let peer = try await server.peers.next()
        let request = try await peer.requests.next()
        #expect(request.contains("Host: [::1]:\(server.port)\r\n"))
        peer.requests.put(request)
        try await peer.accept()
        try await client.opened()
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `A name with two addresses reaches a server on either of them`(address: String) async throws {
        let server = try await TestServer(host: address)
        let client = TestClient { _, port in
            [try SocketAddress(ipAddress: "::1", port: port), try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }
        client.open(server.endpoint(host: "both.test"))
        try await server.peers.next().accept()
        try await client.opened()
    }

    @Test func `An IPv6 address that leads nowhere costs less than 2 s`() async throws {
        let server = try await TestServer()
        // The prefix 100::/64 is reserved for discarding (RFC 6666).
        let client = TestClient { _, port in
            [try SocketAddress(ipAddress: "100::1", port: port), try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }
        let start = NIODeadline.now()
        client.open(server.endpoint(host: "broken.test"))
        let peer = try await server.peers.next()
        try await peer.accept()
        try await client.opened()
        // On the loop's clock: this task itself may have to wait for a thread.
        #expect(peer.arrival - start < .seconds(2))
    }

    @Test func `A lookup that hangs delays nobody else and can be given up`() async throws {
        let server = try await TestServer()
        let gate = DispatchSemaphore(value: 0)
        defer { for _ in 0..<10 { gate.signal() } }
        let stuck = (0..<10).map { _ in
            TestClient { _, _ in
                gate.wait()
                return []
            }
        }
        for client in stuck { client.open(server.endpoint(host: "slow.test")) }
        let client = TestClient { _, port in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
        client.open(server.endpoint(host: "fast.test"))
        try await server.peers.next().accept()
        try await client.opened()
        for client in stuck {
            client.close(.goodbye)
            #expect(try await client.closed().category == .disconnected)
        }
    }

    @Test func `A port that refuses is a matter of the network, with its error number`() async throws {
        // Nobody listens on port 1.
        for host in ["127.0.0.1", "localhost"] {
            let client = TestClient()
            client.open(WebSocketEndpoint(host: host, port: 1, usesTLS: false))
            let failure = try await client.closed()
            #expect(failure.category == .networkUnavailable && failure.errno == ECONNREFUSED)
            #expect(failure.reason == "\(host):1 refuses connections.")
        }
    }

    @Test func `A name that does not exist is a matter of the network`() async throws {
        let client = TestClient()
        client.open(WebSocketEndpoint(host: "does-not-exist.invalid", port: 80, usesTLS: false))
        let failure = try await client.closed()
        #expect(failure.category == .networkUnavailable && failure.reason.contains("name"))
        #expect(await client.holdsNothing())
    }

    @Test(arguments: [
        WebSocketEndpoint(host: "", port: 80, usesTLS: false),
        WebSocketEndpoint(host: "a b", port: 80, usesTLS: false),
        WebSocketEndpoint(host: "a\r\nX: y", port: 80, usesTLS: false),
        WebSocketEndpoint(host: "127.0.0.1", port: 0, usesTLS: false),
        WebSocketEndpoint(host: "127.0.0.1", port: 65536, usesTLS: false),
        WebSocketEndpoint(host: "127.0.0.1", port: 80, usesTLS: false, target: "no slash"),
        WebSocketEndpoint(host: "127.0.0.1", port: 80, usesTLS: false, target: "/a b"),
        WebSocketEndpoint(host: "127.0.0.1", port: 80, usesTLS: false, target: "/a\r\nX: y"),
        WebSocketEndpoint(host: "127.0.0.1", port: 80, usesTLS: false, headers: [.init("A", "b\r\nC: d")]),
        WebSocketEndpoint(host: "127.0.0.1", port: 80, usesTLS: false, headers: [.init("A:", "b")]),
        WebSocketEndpoint(host: "127.0.0.1", port: 80, usesTLS: false, subprotocols: ["a, b"]),
    ])
    func `Rule WT-4: what cannot be asked for is refused before anything is dialled`(endpoint: WebSocketEndpoint) async throws {
        let client = TestClient()
        client.open(endpoint)
        #expect(try await client.closed().category == .badRequest)
        #expect(await client.holdsNothing())
    }

    @Test func `Goodbye during the dial is answered at once and leaves no socket`() async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint())
        let peer = try await server.peers.next()
        client.close(.goodbye)
        #expect(try await client.closed().category == .disconnected)
        #expect(try await peer.frames.next() == .end)
        client.send(.text("nobody hears this"))
    }

    @Test func `An abort at any moment of the dial leaves no socket and reports nothing`() async throws {
        let server = try await TestServer()
        var clients: [TestClient] = []
        for round in 0..<200 {
            let client = TestClient()
            clients.append(client)
            client.open(server.endpoint(host: round % 2 == 0 ? "127.0.0.1" : "localhost"))
            if round % 4 > 1 {
                let peer = try await server.peers.next()
                client.close(.abort)
                #expect(try await peer.frames.next() == .end)
            } else {
                client.close(.abort)
            }
            client.send(.text("nobody hears this"))
        }
        for peer in server.peers.waiting { #expect(try await peer.frames.next() == .end) }
        for client in clients { #expect(client.events.waiting.isEmpty) }
    }
}
