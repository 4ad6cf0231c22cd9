import ConnectionEngine
import NIOCore
import Testing
import TransportCommon

@testable import WebSocketTransport

/// Rule WT-16. The test's server plays the proxy, and the server behind it on the same connection.
@Suite struct ProxyTests {
    private func configuration(
        _ proxy: TestServer, _ credentials: HTTPProxy.Credentials? = nil
    ) -> WebSocketTransportConfiguration {
        WebSocketTransportConfiguration(proxy: HTTPProxy(host: "127.0.0.1", port: proxy.port, credentials: credentials))
    }

    @Test(arguments: [
        ("chat.example", "chat.example:8080"), ("192.0.2.7", "192.0.2.7:8080"), ("2001:db8::7", "[2001:db8::7]:8080"),
    ])
    func `The proxy is asked for the server by name, and frames pass through`(host: String, target: String) async throws {
        let proxy = try await TestServer()
        let client = TestClient(configuration(proxy, .init(user: "u", password: "p:w")))
        client.open(WebSocketEndpoint(host: host, port: 8080, usesTLS: false, target: "/secret-path"))
        let peer = try await proxy.peers.next()
        let request = try await peer.requests.next()
        #expect(request.hasPrefix("CONNECT \(target) HTTP/1.1\r\n"))
        #expect(request.contains("\r\nProxy-Authorization: Basic dTpwOnc=\r\n"))
        #expect(!request.contains("secret-path") && !request.lowercased().contains("sec-websocket"))
        peer.write("HTTP/1.1 200 Connection established\r\n\r\n")
        try await peer.accept(behind: text("hello"))
        try await client.opened()
        #expect(try await client.received() == [.text("hello")])
        client.send(.text("back"))
        #expect(try await peer.frames.next() == .text("back"))
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", 407),
        ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", nil), ("HTTP/1.1 502 Bad Gateway\r\n\r\n", nil),
        ("SSH-2.0-OpenSSH_9.9\r\n\r\n", nil),
    ])
    func `A proxy that does not forward is a matter of the proxy`(answer: String, status: Int?) async throws {
        let proxy = try await TestServer()
        let client = TestClient(configuration(proxy))
        client.open(WebSocketEndpoint(host: "chat.example", port: 443, usesTLS: true))
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        peer.write(answer)
        let failure = try await client.closed()
        #expect(failure.category == .proxyUnavailable && failure.httpStatus == status)
        #expect(await client.holdsNothing())
    }

    @Test func `A proxy says whether it requires credentials or others`() async throws {
        for (credentials, words) in [
            (nil, "requires credentials"), (HTTPProxy.Credentials(user: "u", password: "hush"), "accept"),
        ] {
            let proxy = try await TestServer()
            let client = TestClient(configuration(proxy, credentials))
            client.open(WebSocketEndpoint(host: "chat.example", port: 80, usesTLS: false))
            let peer = try await proxy.peers.next()
            _ = try await peer.requests.next()
            peer.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            let failure = try await client.closed()
            #expect(failure.category == .proxyUnavailable && failure.reason.contains(words), "\(failure)")
            #expect(!"\(failure)".contains("hush"))
        }
    }

    @Test func `A proxy whose name does not exist is a matter of the proxy`() async throws {
        let proxy = HTTPProxy(host: "proxy.invalid", port: 3128)
        let client = TestClient(WebSocketTransportConfiguration(proxy: proxy)) { _, _ in throw ChannelError.eof }
        client.open(WebSocketEndpoint(host: "chat.example", port: 80, usesTLS: false))
        let failure = try await client.closed()
        #expect(failure.category == .proxyUnavailable)
        #expect(failure.reason == "The proxy cannot be reached: The name of the proxy could not be resolved.")
    }

    @Test(arguments: [false, true])
    func `A proxy that dies behind its answer is a matter of the network`(reset: Bool) async throws {
        let proxy = try await TestServer()
        let client = TestClient(configuration(proxy))
        client.open(WebSocketEndpoint(host: "chat.example", port: 80, usesTLS: false))
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 Connection established\r\n\r\n")
        _ = try await peer.requests.next()
        if reset { peer.reset() } else { peer.close() }
        #expect(try await client.closed().category == .networkUnavailable)
        #expect(await client.holdsNothing())
    }

    @Test(arguments: [false, true])
    func `A proxy that dies later ends the connection once`(reset: Bool) async throws {
        let proxy = try await TestServer()
        let client = TestClient(configuration(proxy))
        client.open(WebSocketEndpoint(host: "chat.example", port: 80, usesTLS: false))
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 Connection established\r\n\r\n")
        try await peer.accept()
        try await client.opened()
        if reset { peer.reset() } else { peer.close() }
        #expect(try await client.closed().category == .unexpectedDisconnect)
        #expect(client.events.waiting.isEmpty)
    }

    @Test(arguments: [false, true])
    func `A proxy that hangs up is a matter of the proxy`(reset: Bool) async throws {
        let proxy = try await TestServer()
        let client = TestClient(configuration(proxy))
        client.open(WebSocketEndpoint(host: "chat.example", port: 80, usesTLS: false))
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        if reset { peer.reset() } else { peer.close() }
        #expect(try await client.closed().category == .proxyUnavailable)
    }

    @Test func `A proxy that says nothing ends the dial at its limit`() async throws {
        let proxy = try await TestServer()
        var configuration = configuration(proxy)
        configuration.connectTimeout = .milliseconds(200)
        let client = TestClient(configuration)
        client.open(WebSocketEndpoint(host: "chat.example", port: 80, usesTLS: false))
        #expect(try await client.closed().category == .proxyUnavailable)
    }

    @Test func `A proxy that cannot be reached is a matter of the proxy, with its error number`() async throws {
        let client = TestClient(WebSocketTransportConfiguration(proxy: HTTPProxy(host: "127.0.0.1", port: 1)))
        client.open(WebSocketEndpoint(host: "chat.example", port: 80, usesTLS: false))
        let failure = try await client.closed()
        #expect(failure.category == .proxyUnavailable && failure.errno != nil)
    }
}
