import NIOConcurrencyHelpers
import NIOCore

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

/// An event loop whose thread is kept busy until the test lets it go: the loop that is slower than every publisher.
final class BlockedLoop: Sendable {
    private let gate = ConditionLock(value: false)

    /// Returns once nothing else runs on the loop.
    init(_ loop: EventLoopContext) async {
        await withCheckedContinuation { continuation in
            loop.eventLoop.execute { [gate] in
                continuation.resume()
                gate.lock(whenValue: true)
                gate.unlock()
            }
        }
    }

    func release() {
        gate.lock()
        gate.unlock(withValue: true)
    }
}

extension LifelineServer {
    /// The number of the event loop that a client's connection lives on.
    func eventLoopID(of client: TestClient) async throws -> Int {
        let id = await client.socketID
        for loop in context.loops {
            let isThere = try await loop.eventLoop.submit {
                self.services.pusher.mailboxes[loop.number].part.list.all.contains { $0.socketID.description == id }
            }.get()
            if isThere { return loop.number }
        }
        throw TestClient.Unexpected(description: "no event loop has the connection")
    }

    /// Connects until a client lives on this event loop; others are closed.
    func client(on eventLoopID: Int) async throws -> TestClient {
        for _ in 0..<100 {
            let client = try await TestClient.connect(self)
            if try await self.eventLoopID(of: client) == eventLoopID { return client }
            await client.closeSocket()
        }
        throw TestClient.Unexpected(description: "no connection came to event loop \(eventLoopID)")
    }

    /// Connects for requests until the socket lives on this event loop.
    func requester(on eventLoopID: Int) async throws -> RawSocket {
        let loop = context.loops[eventLoopID]
        for _ in 0..<100 {
            let before = try await loop.eventLoop.submit { loop.state.requesters.all.count }.get()
            let socket = try await RawSocket.connect(port: port)
            // The answer shows that the connection has its place.
            _ = try await socket.exchange("GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
            if try await loop.eventLoop.submit({ loop.state.requesters.all.count }).get() > before { return socket }
            await socket.close()
        }
        throw TestClient.Unexpected(description: "no request came to event loop \(eventLoopID)")
    }
}

extension RawSocket {
    /// Sends a request and reads the whole answer, which has a length.
    func exchange(_ request: String, within limit: TimeAmount = .seconds(60)) async throws -> Answer {
        try await send(request)
        return try await answer(within: limit)
    }

    func answer(within limit: TimeAmount = .seconds(60)) async throws -> Answer {
        var collected = ""
        while let bytes = try await next(within: limit) {
            collected += String(buffer: bytes)
            guard let end = collected.firstRange(of: "\r\n\r\n") else { continue }
            let head = collected[..<end.lowerBound]
            let fields = head.split(separator: "\r\n").dropFirst().map { $0.lowercased() }
            let length = fields.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            let body = collected[end.upperBound...]
            guard body.utf8.count >= length else { continue }
            let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return Answer(status: status, body: head + "\n" + body)
        }
        throw TestClient.Unexpected(description: "no answer")
    }

    /// Publishes with a signed request on this connection.
    func publish(_ body: String, to server: LifelineServer, within limit: TimeAmount = .seconds(60)) async throws -> Answer {
        try await exchange(Self.publishing(body, to: server), within: limit)
    }

    static func publishing(_ body: String, to server: LifelineServer) -> String {
        let target = server.signedTarget("POST", "/apps/1001/events", body: body)
        return "POST \(target) HTTP/1.1\r\nhost: x\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
