import NIOCore
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Large bodies that stand still (SV-82)", .timeLimit(.minutes(1)))
struct SlowBodyTests {
    private func withFiles(_ body: (LifelineServer, ManualClock, BodyBudget) async throws -> Void) async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            try await body(server, clock, server.services.context.bodies)
        }
    }

    /// Sums over all connections, on their event loops.
    private func sum(_ server: LifelineServer, _ count: @escaping @Sendable (HTTPConnection) -> Int) async throws -> Int {
        var total = 0
        for loop in server.services.context.loops {
            total += try await loop.eventLoop.submit { loop.state.requesters.all.reduce(0) { $0 + count($1) } }.get()
        }
        return total
    }

    /// 42 s pass while a large body stands still, in three sweeps. No other time ends a connection by then.
    private func stall(_ server: LifelineServer, _ clock: ManualClock) async throws {
        try await eventually { try await sum(server) { $0.outgoing == nil && $0.incoming == nil ? 0 : 1 } == 1 }
        for _ in 0..<3 {
            _ = try await sum(server) { connection in
                connection.sweep(at: clock.clock.monotonic())
                return 0
            }
            clock.advance(by: 21)
        }
        await eventually { server.services.context.bodies.reservedBytes == 0 }
    }

    @Test("A peer that reads nothing of a download is cut, and its room is free again")
    func deafDownload() async throws {
        try await withFiles { server, clock, budget in
            let client = FileClient(server: server)
            let content = [UInt8](repeating: 7, count: 5 << 20)
            let id = try await client.store("a", content)
            await eventually { budget.reservedBytes == 0 }
            let ask = try await RawSocket.connect(port: server.port)
            try await ask.send("GET \(client.path(id, "a")) HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try await ask.text(upTo: "\r\n\r\n")
            let place = try #require(head.firstMatch(of: /Location: https?:\/\/[^\/]*(\/\S*)/)?.1)
            let deaf = try await RawSocket.connect(port: server.port)
            try await deaf.setReading(false)
            try await deaf.send("GET \(place) HTTP/1.1\r\nHost: x\r\n\r\n")
            try await stall(server, clock)
            // Whoever reads gets the whole content, also over a connection that ends with it.
            #expect(try await client.download(id, "a").bytes == content)
        }
    }

    @Test("An upload that stops behind its first megabyte is refused, whatever came before")
    func stalledUpload() async throws {
        try await withFiles { server, clock, budget in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send(
                "POST /v1/files/demo/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=X\r\n"
                    + "Content-Length: 5000000\r\n\r\n" + String(repeating: "a", count: (1 << 20) + 20_000))
            await eventually { budget.reservedBytes > 0 }
            #expect(budget.reservedBytes < 2 << 20)
            try await stall(server, clock)
            #expect(try await socket.textToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }
}
