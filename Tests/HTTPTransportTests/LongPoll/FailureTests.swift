import ConnectionEngine
import NIOCore
import NIOPosix
import Testing

@testable import HTTPTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Rule HT-12: what goes wrong has the engine's words.
@Suite struct FailureTests {
    @Test func `A port that refuses fails at once, with its error number`() async throws {
        let client = try await PollClient(to: HTTPEndpoint(host: "127.0.0.1", port: 1, usesTLS: false))
        client.poll()
        let failure = try await client.failure()
        #expect(failure.category == .networkUnavailable && failure.errno == ECONNREFUSED)
        client.call()
        #expect(try await client.failure().errno == ECONNREFUSED)
    }

    @Test func `A name that does not exist is a matter of the network`() async throws {
        let client = try await PollClient(to: HTTPEndpoint(host: "does-not-exist.invalid", port: 80, usesTLS: false))
        client.poll()
        #expect(try await client.failure().category == .networkUnavailable)
    }

    @Test func `A handshake that does not come to an end is a timeout`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(
            LongPollTransportConfiguration(connectTimeout: .milliseconds(200)),
            to: HTTPEndpoint(host: "127.0.0.1", port: server.port, usesTLS: true))
        client.poll()
        #expect(try await client.failure().category == .timeout)
    }

    @Test func `Rule HT-12: a poll on a link that went silent times out, and its connection is closed`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1, timeout: .seconds(3))
        let peer = try await server.peers.next()
        let failure = try await client.failure()
        #expect(failure.category == .timeout)
        #expect(try await peer.ended.next())
    }

    @Test func `Each request has a clock of its own`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1, timeout: .seconds(60))
        let poll = try await server.peers.next()
        _ = try await poll.requests.next()
        client.call(2, timeout: .seconds(2))
        client.call(3, timeout: .milliseconds(50))
        let timedOut = try await [client.outcome(), client.outcome()]
        #expect(timedOut.map(\.id) == [3, 2])
        poll.answer()
        #expect(try await client.outcome().id == 1)
    }

    @Test(arguments: [false, true])
    func `Rule HT-12: a poll whose connection breaks is an outage, however it breaks`(reset: Bool) async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        if reset { peer.reset() } else { peer.close() }
        let failure = try await client.failure()
        #expect(failure.category == .unexpectedDisconnect)
        #expect(failure.errno == (reset ? ECONNRESET : nil))
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
    ])
    func `Rule HT-12: an answer that is cut is an outage`(bytes: String) async throws {
        let server = try await PollServer()
        for reset in [false, true] {
            let client = try await PollClient(to: server.endpoint)
            client.poll(1)
            let peer = try await server.peers.next()
            _ = try await peer.requests.next()
            peer.write(bytes)
            guard case .heard = try await client.events.next() else { throw PollClient.Unexpected(event: "not heard") }
            if reset { peer.reset() } else { peer.close() }
            #expect(try await client.failure().category == .unexpectedDisconnect)
            client.call(2)
            let call = try await server.peers.next()
            _ = try await call.requests.next()
            call.write(bytes)
            guard case .heard = try await client.events.next() else { throw PollClient.Unexpected(event: "not heard") }
            if reset { call.reset() } else { call.close() }
            #expect(try await client.failure().category == .networkUnavailable)
        }
    }

    @Test func `A server that speaks no TLS fails the handshake`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: HTTPEndpoint(host: "127.0.0.1", port: server.port, usesTLS: true))
        client.poll()
        let peer = try await server.peers.next()
        peer.write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        let failure = try await client.failure()
        #expect(failure.category == .tlsFailed && failure.tlsAlert != nil)
    }

    @Test func `A handshake that is cut is a matter of the network`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: HTTPEndpoint(host: "127.0.0.1", port: server.port, usesTLS: true))
        client.poll()
        try await server.peers.next().close()
        #expect(try await client.failure().category == .networkUnavailable)
    }
}
