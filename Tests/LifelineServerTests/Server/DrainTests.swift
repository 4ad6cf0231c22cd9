import Foundation
import NIOCore
import PusherProtocol
import ServiceLifecycle
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Starting, draining, stopping (SV-1, SV-12)", .timeLimit(.minutes(1)))
struct DrainTests {
    // Proof of G9.
    @Test(
        "Clients get the code of a drain, new connections are refused, and the stop returns soon (SV-38)",
        arguments: [(nil, false, 4100), (nil, true, 4200), (4205, false, 4205)] as [(UInt16?, Bool, UInt16)])
    func drain(code: UInt16?, reusesPort: Bool, said: UInt16) async throws {
        let server = try await LifelineServer.start(.init(port: 0, drainCode: code, reusesPort: reusesPort))
        let client = try await TestClient.connect(server)
        async let stopped: Void = server.stop()
        #expect(try await client.expectFarewell() == said)
        try await stopped
        await #expect(throws: (any Error).self) { _ = try await RawSocket.connect(port: server.port) }
        #expect(server.statistics.connections == 0)
    }

    @Test(
        "SO-116: connections that end because the server stops are entries for debugging, whatever the code",
        arguments: [nil, 4205] as [UInt16?])
    func blame(code: UInt16?) async throws {
        let log = LogLines()
        let server = try await LifelineServer.start(.init(port: 0, drainCode: code, logger: log.logger()))
        let client = try await TestClient.connect(server)
        async let stopped: Void = server.stop()
        let said = try await client.expectFarewell()
        try await stopped
        #expect(log.all.filter { $0.hasPrefix("debug connection ended") && $0.contains("code=\(said) ") }.count == 1)
        #expect(log.all.filter { $0.hasPrefix("notice connection") || $0.hasPrefix("warning connection") }.isEmpty)
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
        await #expect(throws: (any Error).self) { _ = try await RawSocket.connect(port: server.port) }
        // Once it has stopped, it is stopped.
        try await server.stop()
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

    @Test("A new server accepts before the old one stops when both share the port (SV-39)")
    func handOver() async throws {
        let old = try await LifelineServer.start(.init(port: 0, reusesPort: true))
        let client = try await TestClient.connect(old)
        let new = try await LifelineServer.start(.init(port: old.port, reusesPort: true))
        async let stopped: Void = old.stop()
        #expect(try await client.expectFarewell() == 4200)
        // The old one's listener is closed before its clients are told to go.
        var others: [TestClient] = []
        for _ in 0..<5 { others.append(try await TestClient.connect(new)) }
        #expect(others.count == 5 && new.statistics.connections == 5)
        try await stopped
        try await new.stop()
    }

    @Test("Connections are closed one after the other (SV-37)")
    func spread() async throws {
        let server = try await LifelineServer.start(.init(port: 0, threads: 1))
        var clients: [TestClient] = []
        for _ in 0..<20 { clients.append(try await TestClient.connect(server)) }
        let start = ContinuousClock.now
        let stopped = Task { try await server.stop() }
        for client in clients { #expect(try await client.expectFarewell() == 4100) }
        // The last one is told 0.38 s after the first at the soonest; a slow machine only adds to that.
        #expect(ContinuousClock.now - start >= .milliseconds(370))
        try await stopped.value
    }

    @Test("Threads of its own end with the server")
    func ownThreads() async throws {
        var threads: Set<String> = []
        var loops: [any EventLoop] = []
        try await withServer(quietApplication, { $0.threads = 2 }) { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            loops = server.context.loops.map(\.eventLoop)
            #if os(Linux)
                for loop in loops { threads.insert(try await loop.submit { try Self.thread() }.get()) }
                #expect(threads.count == 2 && threads.allSatisfy(Self.isRunning))
            #endif
        }
        #expect(loops.count == 2)
        // Where there is no /proc the set is empty. A loop that has shut down cannot be asked: it never answers.
        await eventually { !threads.contains(where: Self.isRunning) }
    }

    /// The folder of the thread that asks, below `/proc`.
    private static func thread() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    }

    private static func isRunning(_ thread: String) -> Bool {
        FileManager.default.fileExists(atPath: "/proc/" + thread)
    }

    @Test("As a service it drains when the group shuts down gracefully")
    func service() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = try await TestClient.connect(server)
        let group = ServiceGroup(configuration: .init(services: [.init(service: server)], logger: .init(label: "test")))
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        #expect(try await client.expectFarewell() == 4100)
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
