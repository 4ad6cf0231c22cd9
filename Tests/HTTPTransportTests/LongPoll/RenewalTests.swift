import ConnectionEngine
import NIOCore
import SocketTestSupport
import Testing

@testable import HTTPTransport

/// Rules HT-29 and HT-30: a poll that stays silent can be asked again, and an answer that began has to end.
@Suite struct RenewalTests {
    private func exchange(_ id: UInt64, target: String = "/v2/subscribe") -> HTTPExchange {
        HTTPExchange(id: id, target: target, timeout: .seconds(60))
    }

    @Test func `Rule HT-30: a silent poll is asked again on a new connection; what the old one still brings is nobody's`()
        async throws
    {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        var silent = try await server.peers.next()
        for id in UInt64(2)...4 {
            _ = try await silent.requests.next()
            client.send(.renewPoll(exchange(id, target: "/again/\(id)")))
            let fresh = try await server.peers.next()
            silent.answer("late")
            #expect(try await silent.ended.next())
            silent = fresh
        }
        #expect(try await silent.requests.next().hasPrefix("GET /again/4 "))
        silent.answer("new")
        let inbound = try await client.outcome()
        #expect(inbound.id == 4)
        #expect(try inbound.result.get().body == "new")
        #expect(client.events.waiting.isEmpty && server.connectionCount == 4)
    }

    @Test func `Rule HT-30: a kept connection that fell silent is left, and the next poll uses the new one`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let first = try await server.peers.next()
        try await first.serve("one")
        #expect(try await client.answer().body == "one")
        client.poll(2)
        _ = try await first.requests.next()
        client.send(.renewPoll(exchange(3)))
        let second = try await server.peers.next()
        try await second.serve("three")
        #expect(try await client.outcome().id == 3)
        client.poll(4)
        try await second.serve("four")
        #expect(try await client.outcome().id == 4)
        #expect(server.connectionCount == 2)
    }

    @Test func `Rule HT-30: an answer that has begun keeps its number, and is not asked for again`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 OK\r\n")
        guard case .heard = try await client.events.next() else { throw PollClient.Unexpected(event: "not heard") }
        client.send(.renewPoll(exchange(2)))
        peer.write("Content-Length: 3\r\n\r\nold")
        let inbound = try await client.outcome()
        #expect(inbound.id == 1)
        #expect(try inbound.result.get().body == "old")
        #expect(server.connectionCount == 1)
    }

    @Test func `Rule HT-30: without a poll there is nothing to ask again`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.send(.renewPoll(exchange(1)))
        client.poll(2)
        let peer = try await server.peers.next()
        try await peer.serve("two")
        #expect(try await client.outcome().id == 2)
        client.send(.renewPoll(exchange(3)))
        client.poll(4)
        client.send(.cancelPoll)
        client.send(.renewPoll(exchange(5)))
        client.close(.goodbye)
        #expect(try await client.closed().category == .disconnected)
    }

    @Test func `Rule HT-30: a server that is gone by then is told`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        _ = try await server.peers.next().requests.next()
        try await server.stop()
        client.send(.renewPoll(exchange(2)))
        let outcome = try await client.outcome()
        #expect(outcome.id == 2)
        #expect { try outcome.result.get() } throws: { ($0 as? ConnectionFailure)?.category == .networkUnavailable }
    }

    @Test(arguments: [true, false])
    func `Rule HT-29: an answer that drips is cut, of a poll and of a call`(isPoll: Bool) async throws {
        let server = try await PollServer()
        var configuration = LongPollTransportConfiguration()
        configuration.answerTimeout = .seconds(2)
        let client = try await PollClient(configuration, to: server.endpoint)
        if isPoll { client.poll() } else { client.call() }
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        var bytes = 0
        while case .heard = try await client.events.next() {
            bytes += 1
            // Each byte proves life; the answer is cut all the same.
            peer.write("x")
        }
        #expect(bytes > 1)
        #expect(try await peer.ended.next())
    }

    @Test func `Rule HT-29: an answer that drips to any other call ends with the call's own limit`() async throws {
        let server = try await PollServer()
        let outcome = Inbox<Result<HTTPCallAnswer, ConnectionFailure>>()
        let url = "http://127.0.0.1:\(server.port)/"
        let cancel = HTTPCaller().send(HTTPCall(url: url), timeout: .seconds(3)) { outcome.put($0) }
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n")
        let drips = peer.channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20)) { _ in
            peer.write("x")
        }
        let result = try await outcome.next()
        drips.cancel()
        guard case .failure(let failure) = result else {
            Issue.record("50,000 bytes did not come")
            return
        }
        #expect(failure.category == .timeout)
        #expect(try await peer.ended.next())
        cancel()
    }

    @Test func `Rule HT-29: who is cut is told why, and the clock begins with the first byte`() async throws {
        let server = try await PollServer()
        var configuration = LongPollTransportConfiguration()
        configuration.answerTimeout = .milliseconds(100)
        let client = try await PollClient(configuration, to: server.endpoint)
        client.poll(1, timeout: .seconds(60))
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        // A call that takes longer than an answer may shows that silence does not count.
        client.call(2, timeout: .milliseconds(300))
        #expect(try await client.outcome().id == 2)
        peer.write("H")
        let failure = try await client.failure()
        #expect(failure.category == .timeout && failure.reason == "The server's answer began, but was not complete in time.")
    }
}
