import ConnectionEngine
import NIOCore
import Testing

@testable import HTTPTransport

/// Rule HT-11: a kept connection that the server closed is no outage.
@Suite struct KeptConnectionTests {
    private func served(_ server: PollServer, staleWindow: Duration = .seconds(30)) async throws -> (PollClient, PollPeer) {
        var configuration = LongPollTransportConfiguration()
        configuration.staleWindow = staleWindow
        let client = try await PollClient(configuration, to: server.endpoint)
        client.poll(1)
        let peer = try await server.peers.next()
        try await peer.serve("one")
        #expect(try await client.answer().body == "one")
        return (client, peer)
    }

    @Test(arguments: [false, true])
    func `A connection that is closed between polls is not noticed`(reset: Bool) async throws {
        let server = try await PollServer()
        let (client, peer) = try await served(server)
        if reset { peer.reset() } else { peer.close() }
        _ = try await peer.ended.next()
        client.poll(2)
        try await server.peers.next().serve("two")
        #expect(try await client.outcome().id == 2)
    }

    @Test(arguments: [false, true])
    func `Rule HT-11: a poll that a kept connection never answered is asked again, on a new one`(reset: Bool) async throws {
        let server = try await PollServer()
        let (client, peer) = try await served(server)
        client.poll(2)
        _ = try await peer.requests.next()
        if reset { peer.reset() } else { peer.close() }
        let fresh = try await server.peers.next()
        try await fresh.serve("two")
        let inbound = try await client.outcome()
        #expect(inbound.id == 2)
        #expect(try inbound.result.get().body == "two")
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Rule HT-11: it is asked again once, not twice`() async throws {
        let server = try await PollServer()
        let (client, peer) = try await served(server)
        client.poll(2)
        _ = try await peer.requests.next()
        peer.close()
        let fresh = try await server.peers.next()
        _ = try await fresh.requests.next()
        fresh.close()
        #expect(try await client.failure().category == .unexpectedDisconnect)
        #expect(server.connectionCount == 2)
    }

    @Test func `Rule HT-11: when the server is gone for good, the refusal is told`() async throws {
        let server = try await PollServer()
        let (client, peer) = try await served(server)
        try await server.stop()
        client.poll(2)
        _ = try await peer.requests.next()
        peer.close()
        #expect(try await client.failure().category == .networkUnavailable)
    }

    @Test func `Rule HT-11: a poll that has hung for a while is an outage`() async throws {
        let server = try await PollServer()
        let (client, peer) = try await served(server, staleWindow: .zero)
        client.poll(2)
        _ = try await peer.requests.next()
        peer.close()
        #expect(try await client.failure().category == .unexpectedDisconnect)
        #expect(server.connectionCount == 1)
    }

    @Test func `Rule HT-11: after the first byte of an answer it is an outage`() async throws {
        let server = try await PollServer()
        let (client, peer) = try await served(server)
        client.poll(2)
        _ = try await peer.requests.next()
        peer.write("H")
        guard case .heard = try await client.events.next() else { throw PollClient.Unexpected(event: "not heard") }
        peer.close()
        #expect(try await client.failure().category == .unexpectedDisconnect)
        #expect(server.connectionCount == 1)
    }

    @Test func `Rule HT-11: a POST that was written is never repeated`() async throws {
        let server = try await PollServer()
        var configuration = LongPollTransportConfiguration()
        configuration.staleWindow = .seconds(30)
        let client = try await PollClient(configuration, to: server.endpoint)
        client.call(1)
        let peer = try await server.peers.next()
        try await peer.serve()
        _ = try await client.answer()
        client.call(2, method: "POST")
        _ = try await peer.requests.next()
        peer.close()
        #expect(try await client.failure().category == .networkUnavailable)
        #expect(server.connectionCount == 1)
    }

    @Test func `Rule HT-11: a repetition never uses another kept connection`() async throws {
        let server = try await PollServer()
        var configuration = LongPollTransportConfiguration()
        configuration.staleWindow = .seconds(30)
        let client = try await PollClient(configuration, to: server.endpoint)
        var kept: [PollPeer] = []
        for number in 1...4 as ClosedRange<UInt64> {
            client.call(number)
            let peer = try await server.peers.next()
            // Answered only once all of them are busy: a connection that is free takes the next request.
            _ = try await peer.requests.next()
            kept.append(peer)
        }
        for peer in kept { peer.answer() }
        for _ in kept { _ = try await client.answer() }
        client.call(5)
        var index: Int?
        while index == nil {
            index = kept.firstIndex { !$0.requests.waiting.isEmpty }
            await Task.yield()
        }
        kept[index ?? 0].close()
        let fresh = try await server.peers.next()
        try await fresh.serve("fresh")
        #expect(try await client.answer().body == "fresh")
        #expect(server.connectionCount == 5)
    }

    @Test func `A connection that is kept too long is closed`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(
            LongPollTransportConfiguration(keepAlive: .milliseconds(50)), to: server.endpoint)
        client.poll()
        let peer = try await server.peers.next()
        try await peer.serve()
        _ = try await client.answer()
        #expect(try await peer.ended.next())
    }
}
