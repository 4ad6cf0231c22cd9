import ConnectionEngine
import NIOCore
import NIOPosix
import SocketTestSupport
import Testing
import TransportCommon

@testable import HTTPTransport

/// Rules HT-33 to HT-36: how many connections there are, who waits, and what is kept.
@Suite struct PoolTests {
    private typealias Outcome = Result<HTTPCallAnswer, ConnectionFailure>

    private func caller(perHost: Int = 8, total: Int = 256, keepAlive: Duration = .seconds(15)) -> HTTPCaller {
        // A loop of its own would be another pool; the limits make it one.
        HTTPCaller(
            SharedConnections.Settings(
                trustRoots: .system, keepAlive: keepAlive, limits: ConnectionLimits(perHost: perHost, total: total),
                eventLoop: .init(eventLoop: MultiThreadedEventLoopGroup.singleton.next())))
    }

    private func url(_ server: PollServer, _ path: String = "/") -> String { "http://127.0.0.1:\(server.port)\(path)" }

    @Test func `Rule HT-33: calls beyond the limit of a host wait, and go out in their order`() async throws {
        let server = try await PollServer()
        let caller = caller(perHost: 2)
        let outcomes = Inbox<Outcome>()
        for number in 1...6 {
            _ = caller.send(HTTPCall(url: url(server, "/\(number)")), timeout: .seconds(60)) { outcomes.put($0) }
        }
        let peers = try await [server.peers.next(), server.peers.next()]
        var asked: Set<String> = []
        for round in 1...3 {
            for peer in peers {
                let request = try await peer.requests.next()
                let path = String(request.split(separator: " ")[1])
                #expect(["/\(2 * round - 1)", "/\(2 * round)"].contains(path))
                asked.insert(path)
            }
            // Both are busy, so that nothing else was asked.
            #expect(peers.allSatisfy { $0.requests.waiting.isEmpty })
            for peer in peers { peer.answer() }
            for _ in peers { #expect(try await outcomes.next().get().status == 200) }
        }
        #expect(asked.count == 6 && server.connectionCount == 2)
    }

    @Test func `Rule HT-33: with as many connections as there may be, an idle one makes room for another host`() async throws {
        let servers = try await [PollServer(), PollServer(), PollServer()]
        let caller = caller(total: 2)
        var peers: [PollPeer] = []
        for server in servers.prefix(2) {
            async let reply = caller.send(HTTPCall(url: url(server)), timeout: .seconds(60))
            let peer = try await server.peers.next()
            try await peer.serve()
            #expect(try await reply.status == 200)
            peers.append(peer)
        }
        async let reply = caller.send(HTTPCall(url: url(servers[2])), timeout: .seconds(60))
        // The one that was unused for longer is closed.
        #expect(try await peers[0].ended.next())
        try await servers[2].peers.next().serve()
        #expect(try await reply.status == 200)
        #expect(peers[1].ended.waiting.isEmpty)
    }

    @Test func `Rule HT-33: a host waits for another's connection when all are in use`() async throws {
        let (first, second) = try await (PollServer(), PollServer())
        let caller = caller(total: 1)
        async let busy = caller.send(HTTPCall(url: url(first)), timeout: .seconds(60))
        let peer = try await first.peers.next()
        _ = try await peer.requests.next()
        async let waits = caller.send(HTTPCall(url: url(second)), timeout: .seconds(60))
        peer.answer()
        #expect(try await busy.status == 200)
        #expect(try await peer.ended.next())
        try await second.peers.next().serve()
        #expect(try await waits.status == 200)
    }

    @Test func `Rule HT-34: a call that waits for a connection ends with its time, or its task, and is never sent`() async throws
    {
        let server = try await PollServer()
        let caller = caller(perHost: 1)
        async let busy = caller.send(HTTPCall(url: url(server, "/busy")), timeout: .seconds(60))
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        let late = await #expect(throws: ConnectionFailure.self) {
            try await caller.send(HTTPCall(url: url(server, "/late")), timeout: .milliseconds(50))
        }
        #expect(late?.category == .timeout)
        let waiting = Task { [url = url(server, "/cancelled")] in
            try await caller.send(HTTPCall(url: url), timeout: .seconds(60))
        }
        waiting.cancel()
        await #expect(throws: ConnectionFailure.cancelledByCaller) { try await waiting.value }
        async let last = caller.send(HTTPCall(url: url(server, "/last")), timeout: .seconds(60))
        peer.answer()
        #expect(try await busy.status == 200)
        #expect(try await peer.requests.next().hasPrefix("GET /last "))
        peer.answer()
        #expect(try await last.status == 200)
        #expect(server.connectionCount == 1)
    }

    @Test func `Rule HT-34: cancelling a call closes its connection, and the next has another`() async throws {
        let server = try await PollServer()
        let caller = caller(perHost: 1)
        let task = Task { [url = url(server)] in try await caller.send(HTTPCall(url: url), timeout: .seconds(60)) }
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        task.cancel()
        #expect(try await peer.ended.next())
        await #expect(throws: ConnectionFailure.cancelledByCaller) { try await task.value }
        async let reply = caller.send(HTTPCall(url: url(server)), timeout: .seconds(60))
        try await server.peers.next().serve()
        #expect(try await reply.status == 200)
    }

    @Test func `Rule HT-35: kept connections are used again, and closed when they were idle for too long`() async throws {
        let server = try await PollServer()
        let caller = caller(keepAlive: .milliseconds(100))
        async let first = caller.send(HTTPCall(url: url(server)), timeout: .seconds(60))
        let peer = try await server.peers.next()
        try await peer.serve()
        _ = try await first
        #expect(try await peer.ended.next())
        #expect(server.connectionCount == 1)
        let keeping = self.caller()
        async let second = keeping.send(HTTPCall(url: url(server)), timeout: .seconds(60))
        let kept = try await server.peers.next()
        try await kept.serve()
        _ = try await second
        for _ in 0..<3 {
            async let again = keeping.send(HTTPCall(url: url(server)), timeout: .seconds(60))
            try await kept.serve()
            _ = try await again
        }
        #expect(server.connectionCount == 2)
    }

    @Test(arguments: ["GET", "POST"])
    func `Rule HT-36: a kept connection that the server had closed is no outage for GET, and POST is never repeated`(
        method: String
    ) async throws {
        let server = try await PollServer()
        let caller = caller()
        async let first = caller.send(HTTPCall(url: url(server)), timeout: .seconds(60))
        let peer = try await server.peers.next()
        try await peer.serve()
        _ = try await first
        let second = Task { [url = url(server)] in
            try await caller.send(HTTPCall(method: method, url: url), timeout: .seconds(60))
        }
        _ = try await peer.requests.next()
        peer.close()
        if method == "GET" {
            try await server.peers.next().serve("again")
            #expect(try await second.value.body == Array("again".utf8))
        } else {
            let failure = await #expect(throws: ConnectionFailure.self) { try await second.value }
            #expect(failure?.category == .networkUnavailable && server.connectionCount == 1)
        }
    }

    @Test func `Rule HT-36: a repetition with all connections of its host in use waits for a new one`() async throws {
        let server = try await PollServer()
        let caller = caller(perHost: 1)
        async let first = caller.send(HTTPCall(url: url(server)), timeout: .seconds(60))
        let peer = try await server.peers.next()
        try await peer.serve()
        _ = try await first
        async let second = caller.send(HTTPCall(url: url(server, "/second")), timeout: .seconds(60))
        _ = try await peer.requests.next()
        async let third = caller.send(HTTPCall(url: url(server, "/third")), timeout: .seconds(60))
        peer.close()
        let fresh = try await server.peers.next()
        for _ in 0..<2 { try await fresh.serve() }
        _ = try await (second, third)
        #expect(server.connectionCount == 2)
    }
}
