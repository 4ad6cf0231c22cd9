import ConnectionEngine
import NIOCore
import SocketTestSupport
import Testing
import TransportCommon

@testable import HTTPTransport

/// Answers of every shape that HTTP/1.1 allows, and what becomes of their connections.
@Suite struct CallAnswerTests {
    private let caller = HTTPCaller()

    private func url(_ server: PollServer) -> String { "http://127.0.0.1:\(server.port)/" }

    /// Asks, lets `respond` answer, and gives the answer.
    private func outcome(
        _ server: PollServer, method: String = "GET", respond: (PollPeer) -> Void
    ) async throws -> (HTTPCallAnswer, PollPeer) {
        let call = HTTPCall(method: method, url: url(server))
        let reply = Task { [caller] in try await caller.send(call, timeout: .seconds(60)) }
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        respond(peer)
        return (try await reply.value, peer)
    }

    @Test(arguments: [
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", 200), ("GET", "HTTP/1.1 204 No Content\r\n\r\n", 204),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", 304),
        ("POST", "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 201),
        ("GET", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", 204),
        (
            "POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n",
            205
        ),
    ])
    func `Answers without a body are complete, interim ones are passed over, and the connection is used again`(
        method: String, bytes: String, status: Int
    ) async throws {
        let server = try await PollServer()
        let (answer, peer) = try await outcome(server, method: method) { $0.write(bytes) }
        #expect(answer.status == status && answer.body.isEmpty)
        async let next = caller.send(HTTPCall(url: url(server)), timeout: .seconds(60))
        try await peer.serve("next")
        #expect(try await next.body == Array("next".utf8))
        #expect(server.connectionCount == 1)
    }

    @Test func `A body may end with its connection, or with a trailer behind its chunks`() async throws {
        let server = try await PollServer()
        let (ended, _) = try await outcome(server) { peer in
            peer.channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\nto the end")).whenComplete { _ in peer.close() }
        }
        #expect(ended.body == Array("to the end".utf8))
        let (chunked, peer) = try await outcome(server) {
            $0.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nfour\r\n0\r\nX-Sum: 1\r\n\r\n")
        }
        #expect(chunked.body == Array("four".utf8))
        async let next = caller.send(HTTPCall(url: url(server)), timeout: .seconds(60))
        try await peer.serve()
        #expect(try await next.status == 200)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
    ])
    func `A connection that cannot carry another request, or has more to say, is closed`(bytes: String) async throws {
        let server = try await PollServer()
        let (answer, peer) = try await outcome(server) { $0.write(bytes) }
        #expect(answer.body == Array("ok".utf8))
        #expect(try await peer.ended.next())
        let (next, _) = try await outcome(server) { $0.answer("good") }
        #expect(next.body == Array("good".utf8))
    }

    @Test func `Bytes on an idle connection close it, and are nobody's answer`() async throws {
        let server = try await PollServer()
        let (_, peer) = try await outcome(server) { $0.answer("one") }
        peer.answer("nobody's")
        #expect(try await peer.ended.next())
        let (next, _) = try await outcome(server) { $0.answer("two") }
        #expect(next.body == Array("two".utf8))
    }

    @Test func `Nobody asked for another protocol`() async throws {
        let server = try await PollServer()
        let failure = await #expect(throws: ConnectionFailure.self) {
            _ = try await outcome(server) { $0.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\n\r\n") }
        }
        #expect(failure?.category == .malformedResponse)
    }

    @Test func `A head without end is malformed`() async throws {
        let server = try await PollServer()
        let failure = await #expect(throws: ConnectionFailure.self) {
            _ = try await outcome(server) { peer in
                peer.write("HTTP/1.1 200 OK\r\n")
                for number in 0..<2_000 { peer.write("X-\(number): \(String(repeating: "y", count: 100))\r\n") }
            }
        }
        #expect(failure?.category == .malformedResponse)
    }

    @Test func `Interim answers without end are a timeout`() async throws {
        let server = try await PollServer()
        let outcome = Inbox<Result<HTTPCallAnswer, ConnectionFailure>>()
        let cancel = caller.send(HTTPCall(url: url(server)), timeout: .seconds(3)) { outcome.put($0) }
        let peer = try await server.peers.next()
        let drips = peer.channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
            peer.write("HTTP/1.1 102 Processing\r\n\r\n")
        }
        let result = try await outcome.next()
        drips.cancel()
        #expect(throws: ConnectionFailure.self) { try result.get() }
        #expect(try await peer.ended.next())
        cancel()
    }

    @Test func `An answer to half of a request is taken, and the connection is not used again`() async throws {
        let server = try await PollServer()
        let body = Array(repeating: UInt8(ascii: "x"), count: 32 << 20)
        let call = HTTPCall(method: "POST", url: url(server), body: body)
        let reply = Task { [caller] in try await caller.send(call, timeout: .seconds(60)) }
        let peer = try await server.peers.next()
        _ = try await peer.reads.next()
        try await peer.channel.setOption(.autoRead, value: false).get()
        peer.answer("too much", status: "413 Content Too Large")
        #expect(try await reply.value.status == 413)
        let (next, _) = try await outcome(server) { $0.answer("fresh") }
        #expect(next.body == Array("fresh".utf8))
    }

    @Test func `A caller that asks for the end of the connection gets it`() async throws {
        let server = try await PollServer()
        let call = HTTPCall(url: url(server), headers: [HTTPField("Connection", "close")])
        let reply = Task { [caller] in try await caller.send(call, timeout: .seconds(60)) }
        let peer = try await server.peers.next()
        try await peer.serve()
        #expect(try await reply.value.status == 200)
        #expect(try await peer.ended.next())
    }

    @Test func `A TLS handshake that does not end is a timeout of the call`() async throws {
        let server = try await PollServer()
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await caller.send(HTTPCall(url: "https://127.0.0.1:\(server.port)/"), timeout: .seconds(3))
        }
        #expect(failure?.category == .timeout)
        #expect(try await server.peers.next().ended.next())
    }
}
