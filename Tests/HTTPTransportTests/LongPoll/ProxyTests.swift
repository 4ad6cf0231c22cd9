import ConnectionEngine
import NIOCore
import Testing
import TransportCommon

@testable import HTTPTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Rule HT-15: connections through a proxy.
@Suite struct ProxyTests {
    /// Never looked up here: the proxy does that.
    private static let behind = HTTPEndpoint(host: "pubsub.invalid", port: 80, usesTLS: false)

    private func configuration(_ proxy: PollServer, _ credentials: HTTPProxy.Credentials? = nil) -> LongPollTransportConfiguration
    {
        LongPollTransportConfiguration(proxy: HTTPProxy(host: "127.0.0.1", port: proxy.port, credentials: credentials))
    }

    @Test func `Rule HT-15: a proxy is asked to connect, and the request goes through`() async throws {
        let proxy = try await PollServer()
        let client = try await PollClient(
            configuration(proxy, .init(user: "user", password: "pass word")), to: Self.behind)
        client.poll()
        let peer = try await proxy.peers.next()
        let connect = try await peer.requests.next()
        #expect(connect.hasPrefix("CONNECT pubsub.invalid:80 HTTP/1.1\r\n"))
        #expect(connect.lowercased().contains("\r\nproxy-authorization: basic dxnlcjpwyxnzihdvcmq=\r\n"))
        peer.write("HTTP/1.1 200 Connected\r\n\r\n")
        let request = try await peer.requests.next()
        #expect(
            request.hasPrefix("GET /v2/subscribe HTTP/1.1\r\n") && request.lowercased().contains("\r\nhost: pubsub.invalid\r\n"))
        #expect(!request.lowercased().contains("authorization"))
        peer.answer("through")
        #expect(try await client.answer().body == "through")
    }

    @Test func `TLS begins behind the proxy`() async throws {
        let proxy = try await PollServer()
        let client = try await PollClient(
            configuration(proxy), to: HTTPEndpoint(host: "pubsub.invalid", port: 443, usesTLS: true))
        client.poll()
        let peer = try await proxy.peers.next()
        let connect = try await peer.requests.next()
        #expect(connect.hasPrefix("CONNECT pubsub.invalid:443 HTTP/1.1\r\n"))
        #expect(!connect.lowercased().contains("authorization"))
        _ = try await peer.reads.next()
        peer.write("HTTP/1.1 200 Connected\r\n\r\n")
        // The first byte of a TLS handshake.
        #expect(try await peer.reads.next().first == 0x16)
        peer.close()
        #expect(try await client.failure().category == .networkUnavailable)
    }

    @Test(arguments: ["407 Proxy Authentication Required", "403 Forbidden", "502 Bad Gateway", "302 Found"])
    func `Rule HT-15: a proxy that refuses is said so, without the credentials`(status: String) async throws {
        let proxy = try await PollServer()
        let client = try await PollClient(
            configuration(proxy, .init(user: "user", password: "secret")), to: Self.behind)
        client.poll()
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        peer.answer("<html>no</html>", status: status)
        let failure = try await client.failure()
        #expect(failure.category == .proxyUnavailable)
        #expect(!"\(failure) \(String(reflecting: failure))".contains("secret"))
    }

    @Test func `Rule HT-15: a proxy that cannot be reached is no matter of the server`() async throws {
        let proxy = HTTPProxy(host: "127.0.0.1", port: 1)
        let client = try await PollClient(LongPollTransportConfiguration(proxy: proxy), to: Self.behind)
        client.poll()
        let failure = try await client.failure()
        #expect(failure.category == .proxyUnavailable && failure.errno == ECONNREFUSED)
    }

    @Test func `A proxy that hangs up while it is asked is unavailable`() async throws {
        let proxy = try await PollServer()
        let client = try await PollClient(configuration(proxy), to: Self.behind)
        client.poll()
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        peer.close()
        #expect(try await client.failure().category == .proxyUnavailable)
    }

    @Test func `Calls of their own go through a proxy, too`() async throws {
        let proxy = try await PollServer()
        let caller = HTTPCaller(proxy: HTTPProxy(host: "127.0.0.1", port: proxy.port))
        async let reply = caller.send(HTTPCall(url: "http://pubsub.invalid/time/0"), timeout: .seconds(10))
        let peer = try await proxy.peers.next()
        let connect = try await peer.requests.next()
        #expect(connect.hasPrefix("CONNECT pubsub.invalid:80 "))
        peer.write("HTTP/1.1 200 Connected\r\n\r\n")
        try await peer.serve("[17]")
        #expect(try await String(decoding: reply.body, as: UTF8.self) == "[17]")
        let refused = Task { try await caller.send(HTTPCall(url: "http://elsewhere.invalid/"), timeout: .seconds(10)) }
        let second = try await proxy.peers.next()
        _ = try await second.requests.next()
        second.answer(status: "407 Proxy Authentication Required")
        await #expect {
            try await refused.value
        } throws: {
            ($0 as? ConnectionFailure)?.category == .proxyUnavailable
        }
        let unreachable = HTTPCaller(proxy: HTTPProxy(host: "127.0.0.1", port: 1))
        await #expect {
            try await unreachable.send(HTTPCall(url: "http://elsewhere.invalid/"), timeout: .seconds(10))
        } throws: {
            ($0 as? ConnectionFailure)?.category == .proxyUnavailable
        }
    }

    /// What an authorisation request through this proxy ends with.
    private func failure(through proxy: HTTPProxy, timeout: Duration = .seconds(10)) async -> ConnectionFailure? {
        let call = HTTPCall(method: "POST", url: "http://auth.invalid/pusher/auth", body: Array("socket_id=1.1".utf8))
        do throws(ConnectionFailure) {
            _ = try await HTTPCaller(proxy: proxy).send(call, timeout: timeout)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("407 Proxy Authentication Required", nil, "The proxy requires credentials."),
        ("407 Proxy Authentication Required", "hush", "The proxy does not accept the credentials."),
        ("403 Forbidden", "hush", "The proxy refuses to forward the connection to the server."),
        ("504 Gateway Timeout", nil, "The proxy refuses to forward the connection to the server."),
    ])
    func `Rule HT-15: calls say why a proxy does not serve`(status: String, password: String?, words: String) async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer(status)) }
        let credentials = password.map { HTTPProxy.Credentials(user: "user", password: $0) }
        let port = server.endpoint.port
        let failure = await failure(through: HTTPProxy(host: "127.0.0.1", port: port, credentials: credentials))
        #expect(failure?.category == .proxyUnavailable && failure?.reason == words)
        #expect(server.requests.count == 1 && server.requests[0].hasPrefix("CONNECT auth.invalid:80 "))
        #expect(!server.requests[0].contains("socket_id"))
    }

    @Test func `Rule HT-15: a proxy without a name, or that hangs up, is a matter of the proxy`() async throws {
        let unknown = await failure(through: HTTPProxy(host: "proxy.invalid", port: 3128))
        #expect(unknown?.category == .proxyUnavailable)
        #expect(unknown?.reason == "The proxy cannot be reached: The name of the proxy could not be resolved.")
        let server = try await HTTPTestServer { _ in .last("") }
        let dead = await failure(through: HTTPProxy(host: "127.0.0.1", port: server.endpoint.port))
        #expect(dead?.category == .proxyUnavailable)
    }

    @Test func `A proxy that dies while a call is under way is a matter of the network`() async throws {
        let proxy = try await PollServer()
        let settings = HTTPProxy(host: "127.0.0.1", port: proxy.port)
        async let failure = failure(through: settings)
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 Connected\r\n\r\n")
        _ = try await peer.requests.next()
        peer.close()
        #expect(await failure?.category == .networkUnavailable)
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH_9.9\r\n", "The proxy's answer is not HTTP."),
        ("HTTP/1.1 2", "The proxy did not answer the CONNECT request in time."),
        ("", "The proxy did not answer the CONNECT request in time."),
        ("HTTP/1.1 100 Continue\r\n\r\n", "The proxy did not answer the CONNECT request in time."),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "The proxy refuses to forward the connection to the server."),
        ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 20_000))", "The proxy's answer is longer than 16384 bytes."),
        ("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "The proxy sent unexpected data after its answer."),
    ])
    func `Rule HT-15: a proxy that answers nothing, nonsense or without end is said so`(bytes: String, words: String) async throws
    {
        let proxy = try await PollServer()
        var configuration = configuration(proxy)
        configuration.connectTimeout = .milliseconds(bytes.utf8.count < 30 ? 300 : 10_000)
        let client = try await PollClient(configuration, to: Self.behind)
        client.poll()
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        if !bytes.isEmpty { peer.write(bytes) }
        let failure = try await client.failure()
        #expect(failure.category == .proxyUnavailable && failure.reason == words)
        #expect(try await peer.ended.next())
    }

    @Test func `Interim answers of a proxy are passed over`() async throws {
        let proxy = try await PollServer()
        let client = try await PollClient(configuration(proxy), to: Self.behind)
        client.poll()
        let peer = try await proxy.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 ")
        peer.write("Connected\r\nVia: x\r\n\r\n")
        try await peer.serve("through")
        #expect(try await client.answer().body == "through")
    }

    @Test func `Credentials are never shown`() {
        let proxy = HTTPProxy(host: "proxy", port: 3128, credentials: .init(user: "someone", password: "secret"))
        var dumped = ""
        dump(proxy, to: &dumped)
        let configuration = LongPollTransportConfiguration(proxy: proxy)
        for text in ["\(proxy)", String(reflecting: proxy), dumped, "\(configuration)"] {
            #expect(!text.contains("secret") && !text.contains("someone"))
        }
    }
}
