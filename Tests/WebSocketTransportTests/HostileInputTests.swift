import ConnectionEngine
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import WebSocketTransport

/// The tool `badinput.py` is a server that sends one hostile case on each connection and writes down what the client did.
@Suite struct HostileInputTests {
    /// What the server saw of one case.
    struct Verdict: Decodable {
        var `case`: String
        var want: String
        var did: String
    }

    @Test func `Every hostile case is answered as it should be`() async throws {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-hostile-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        let mutations = ProcessInfo.processInfo.environment["LIFELINE_HOSTILE_MUTATIONS"].flatMap { Int($0) } ?? 100
        let port = try await freePort()
        let server = try ChildProcess([
            "python3", ChildProcess.tool("badinput.py"), "ws", "\(port)", "--out", log.path, "--mut", "\(mutations)",
        ])
        defer { withExtendedLifetime(server) {} }
        try await waitForServer(port)
        let endpoint = WebSocketEndpoint(host: "127.0.0.1", port: port, usesTLS: false)
        let finished = Inbox<[TestClient]>()
        let count = 120 + mutations
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    // A transport that is released closes its sockets at once; these are to end in good order.
                    var clients: [TestClient] = []
                    defer { finished.put(clients) }
                    for _ in stride(from: lane, to: count, by: 8) {
                        // Long enough for the server to send its 32 MiB on a busy machine.
                        let client = TestClient(WebSocketTransportConfiguration(closeTimeout: .seconds(10)))
                        clients.append(client)
                        client.open(endpoint)
                        try await client.opened()
                        _ = try await client.closed()
                    }
                }
            }
            try await group.waitForAll()
        }
        // The server writes a verdict when it has seen all that the client does.
        var verdicts: [Verdict] = []
        for _ in 0..<500 where verdicts.count < count {
            try await pause()
            verdicts = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
                .compactMap { try? JSONDecoder().decode(Verdict.self, from: Data($0.utf8)) }
        }
        #expect(verdicts.count == count)
        for verdict in verdicts where verdict.want != "any" {
            let wanted = verdict.want.split(separator: "|").map { $0 == "ignore" ? "pong" : String($0) }
            #expect(wanted.contains(verdict.did), "\(verdict.case): wanted \(verdict.want), did \(verdict.did)")
        }
    }

    /// A port that was free a moment ago.
    private func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .get()
        let port = channel.localAddress?.port
        try await channel.close().get()
        return try #require(port)
    }

    /// Lets another process get on; its progress can only be asked for.
    private func pause() async throws {
        try await MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: .milliseconds(20)) {}.futureResult.get()
    }

    /// Connects until somebody listens. The server does not count connections without a request.
    private func waitForServer(_ port: Int) async throws {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        for _ in 0..<500 {
            if let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get() {
                try await channel.close().get()
                return
            }
            try await pause()
        }
        throw ChildProcess.Missing(description: "badinput.py does not listen.")
    }
}
