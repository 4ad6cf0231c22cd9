import LifelineServer
import NIOCore
import PusherProtocol
import RealtimeHub
import ServiceLifecycle
import Testing

@Suite("Starting, draining, stopping (SV-1, SV-12)", .timeLimit(.minutes(1)))
struct DrainTests {
    @Test("Clients get 4200, new connections are refused, and the stop returns soon")
    func drain() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = try await TestClient.connect(server)
        async let stopped: Void = server.stop()
        #expect(try await client.expectFarewell() == 4200)
        try await stopped
        await #expect(throws: (any Error).self) { _ = try await RawSocket.connect(port: server.port) }
        #expect(server.statistics.connections == 0)
    }

    @Test("A client that ignores the farewell cannot hold the stop up")
    func stubborn() async throws {
        let server = try await LifelineServer.start(.init(port: 0, drainTimeout: .milliseconds(100)))
        let client = try await TestClient.connect(server)
        try await server.stop()
        _ = try await client.expectError()
        #expect(server.statistics.connections == 0)
    }

    @Test("Stopping twice is the same as stopping once")
    func twice() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        async let first: Void = server.stop()
        async let second: Void = server.stop()
        _ = try await (first, second)
    }

    @Test("The port is free again at once, and a taken one is an error")
    func port() async throws {
        let first = try await LifelineServer.start(.init(port: 0))
        await #expect(throws: (any Error).self) { _ = try await LifelineServer.start(.init(port: first.port)) }
        #expect(first.url == "http://127.0.0.1:\(first.port)")
        try await first.stop()
        let second = try await LifelineServer.start(.init(port: first.port))
        try await second.stop()
    }

    @Test("Threads of its own end with the server")
    func ownThreads() async throws {
        try await withServer(quietApplication, { $0.threads = 2 }) { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
        }
    }

    @Test("As a service it drains when the group shuts down gracefully")
    func service() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = try await TestClient.connect(server)
        let group = ServiceGroup(configuration: .init(services: [.init(service: server)], logger: .init(label: "test")))
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        #expect(try await client.expectFarewell() == 4200)
        try await running.value
    }

    @Test("A server that nobody holds any more stops listening and closes its connections")
    func dropped() async throws {
        var server: LifelineServer? = try await LifelineServer.start(.init(port: 0, closeTimeout: .milliseconds(100)))
        let port = server?.port ?? 0
        let socket = try await RawSocket.connect(port: port)
        try await socket.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await socket.text(upTo: "}").contains("200 OK"))
        server = nil
        #expect(try await socket.next() == nil)
        await #expect(throws: (any Error).self) {
            while true { _ = try await RawSocket.connect(port: port) }
        }
    }
}
