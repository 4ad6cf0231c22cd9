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

    @Test func `Rule HT-13: a replaced poll whose answer is on its way is never heard of`() async throws {
        let server = try await PollServer()
        let client = try await PollClient(to: server.endpoint)
        for number in 0..<200 as Range<UInt64> {
            client.poll(number * 2)
            let peer = try await server.peers.next()
            _ = try await peer.requests.next()
            peer.answer("old")
            client.poll(number * 2 + 1)
            client.send(.cancelPoll)
            client.call(1_000_000)
            let call = try await server.peers.next()
            try await call.serve("call")
            // Either the old answer was complete before it was replaced, or nothing of it is reported.
            var seen = try await client.outcome()
            if seen.id == number * 2 { seen = try await client.outcome() }
            #expect(seen.id == 1_000_000)
            call.close()
            while let left = server.peers.waiting.first {
                _ = left
                _ = try await server.peers.next()
            }
        }
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
        let client = try await PollClient(to: server.endpoint)
        for _ in 0..<20 {
            client.poll()
            client.send(.cancelPoll)
        }
        client.call()
        // The call's connection comes last or not; all the others are closed.
        let all = server.connectionCount
        var served = 0
        while served == 0 || !server.peers.waiting.isEmpty {
            let peer = try await server.peers.next()
            if peer.requests.waiting.isEmpty, try await first(of: peer) == .end { continue }
            served += 1
            peer.answer()
            _ = try await client.answer()
        }
        #expect(served == 1, "\(all) connections")
    }

    private enum First { case request, end }

    /// What comes first: a request or the end.
    private func first(of peer: PollPeer) async throws -> First {
        try await withThrowingTaskGroup(of: First.self) { group in
            group.addTask {
                _ = try await peer.requests.next(within: .seconds(5))
                return .request
            }
            group.addTask {
                _ = try await peer.ended.next(within: .seconds(5))
                return .end
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .end
        }
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
