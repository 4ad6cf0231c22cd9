import ConnectionEngine
import NIOCore
import Testing

@testable import HTTPTransport

@Suite struct EndingTests {
    @Test func `Rule HT-13: a new poll closes the connection of the old one at once`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let old = try await server.peers.next()
        _ = try await old.requests.next()
        client.poll(2)
        #expect(try await old.ended.next())
        try await server.peers.next().serve("two")
        let inbound = try await client.outcome()
        #expect(inbound.id == 2)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Rule HT-13: of a poll that was replaced nothing is heard, even when its answer is on its way`() async throws {
        let server = try await HTTPTestServer { .bytes(answer("200 OK", $0.hasPrefix("GET /old") ? "old" : "new")) }
        let client = try await PollClient(to: server.endpoint)
        for number in 1...300 as ClosedRange<UInt64> {
            client.poll(2 * number, target: "/old")
            client.poll(2 * number + 1, target: "/new")
            // The old answer may have been there before it was replaced; it is never there afterwards.
            var inbound = try await client.outcome()
            if inbound.id == 2 * number { inbound = try await client.outcome() }
            #expect(inbound.id == 2 * number + 1)
            #expect(try inbound.result.get().body == "new")
        }
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Cancelling the poll closes its connection and leaves the calls alone`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let poll = try await server.peers.next()
        _ = try await poll.requests.next()
        client.call(2)
        let call = try await server.peers.next()
        _ = try await call.requests.next()
        client.send(.cancelPoll)
        #expect(try await poll.ended.next())
        call.answer("call")
        #expect(try await client.outcome().id == 2)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Rule HT-13: an abort closes everything at once and reports nothing`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let poll = try await server.peers.next()
        _ = try await poll.requests.next()
        client.call(2)
        let call = try await server.peers.next()
        _ = try await call.requests.next()
        client.close(.abort)
        #expect(try await poll.ended.next())
        #expect(try await call.ended.next())
        client.poll(3)
        client.close(.goodbye)
        #expect(client.events.waiting.isEmpty && server.connectionCount == 2)
    }

    @Test func `An abort closes the connection that waits for the next poll, too`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll()
        let peer = try await server.peers.next()
        try await peer.serve()
        _ = try await client.answer()
        client.close(.abort)
        #expect(try await peer.ended.next())
    }

    @Test func `A connection that comes when nobody wants it any more is closed`() async throws {
        let server = try await PollServer()
        // One that comes just between two wishes may be kept for the next, but not for long.
        let client = try await PollClient(LongPollTransportConfiguration(keepAlive: .seconds(1)), to: server.endpoint)
        for _ in 0..<20 {
            client.poll(1)
            client.send(.cancelPoll)
        }
        client.poll(2, target: "/wanted")
        // One of the others may have been written before it was taken back; its connection ends then.
        var peer = try await server.peers.next()
        while true {
            if try await peer.first.next() == .request, try await peer.requests.next().hasPrefix("GET /wanted ") { break }
            peer = try await server.peers.next()
        }
        let count = server.connectionCount
        peer.answer()
        #expect(try await client.outcome().id == 2)
        while !server.peers.waiting.isEmpty { #expect(try await server.peers.next().ended.next()) }
        #expect(server.connectionCount == count)
    }

    @Test func `Rule HT-14: a goodbye ends the poll, lets calls finish, and then reports the end`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let poll = try await server.peers.next()
        _ = try await poll.requests.next()
        client.call(2, target: "/leave")
        client.close(.goodbye)
        client.call(3)
        #expect(try await poll.ended.next())
        let leave = try await server.peers.next()
        let request = try await leave.requests.next()
        #expect(request.hasPrefix("GET /leave "))
        leave.answer("left")
        let inbound = try await client.outcome()
        #expect(inbound.id == 2)
        #expect(try await client.closed() == .disconnectedOnRequest)
        #expect(server.connectionCount == 2)
    }

    @Test func `A goodbye with nothing under way ends at once`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.close(.goodbye)
        #expect(try await client.closed() == .disconnectedOnRequest)
    }

    @Test func `Rule HT-14: calls that are not answered in time do not hold up a goodbye`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(
            LongPollTransportConfiguration(closeTimeout: .milliseconds(50)), to: server.endpoint)
        client.call(2, target: "/leave")
        let leave = try await server.peers.next()
        _ = try await leave.requests.next()
        client.close(.goodbye)
        #expect(try await client.closed() == .disconnectedOnRequest)
        #expect(try await leave.ended.next())
    }

    @Test func `Rule HT-14: a call that times out after a goodbye does not take the other calls' time`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(LongPollTransportConfiguration(closeTimeout: .seconds(60)), to: server.endpoint)
        client.call(2, target: "/late", timeout: .milliseconds(300))
        let late = try await server.peers.next()
        _ = try await late.requests.next()
        client.call(3, target: "/leave")
        let leave = try await server.peers.next()
        _ = try await leave.requests.next()
        client.close(.goodbye)
        #expect(try await client.failure().category == .timeout)
        leave.answer("left")
        #expect(try await client.outcome().id == 3)
        #expect(try await client.closed() == .disconnectedOnRequest)
    }

    @Test func `Releasing a transport closes everything`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let poll = try await server.peers.next()
        _ = try await poll.requests.next()
        client.release()
        #expect(try await poll.ended.next())
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Opening an attempt again aborts what it was before`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        client.poll(1)
        let poll = try await server.peers.next()
        _ = try await poll.requests.next()
        client.open(server.endpoint)
        #expect(try await poll.ended.next())
    }
}
