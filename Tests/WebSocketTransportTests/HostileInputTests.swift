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

        var isAsWanted: Bool {
            want == "any" || want.split(separator: "|").contains { did == ($0 == "ignore" ? "pong" : $0) }
        }
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
        let count = 120 + mutations
        // The tool waits 2 s for each answer, which a busy machine may miss: a case is wrong when it is wrong every time.
        var wrong: [Verdict] = []
        for round in 1...3 {
            let kept = try await dialAll(endpoint, count: count)
            let verdicts = try await verdicts(in: log, count: round * count).suffix(count)
            withExtendedLifetime(kept) {}
            #expect(verdicts.count == count)
            wrong = verdicts.filter { !$0.isAsWanted }
            if wrong.isEmpty { return }
        }
        for verdict in wrong { Issue.record("\(verdict.case): wanted \(verdict.want), did \(verdict.did)") }
    }

    /// Dials once for each case and waits for the end of each connection.
    ///
    /// - Returns: the clients. One that is released closes its socket at once, and these are to end in good order.
    private func dialAll(_ endpoint: WebSocketEndpoint, count: Int) async throws -> [TestClient] {
        try await withThrowingTaskGroup(of: [TestClient].self) { group in
            for lane in 0..<8 {
                group.addTask {
                    var clients: [TestClient] = []
                    for _ in stride(from: lane, to: count, by: 8) {
                        // Long enough for the server to send its 32 MiB on a busy machine.
                        let client = TestClient(WebSocketTransportConfiguration(closeTimeout: .seconds(10)))
                        clients.append(client)
                        client.open(endpoint)
                        _ = try await client.closed()
                    }
                    return clients
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// The verdicts so far, once there are `count`: the server writes one when it has seen all that the client does.
    private func verdicts(in log: URL, count: Int) async throws -> [Verdict] {
        var verdicts: [Verdict] = []
        for _ in 0..<1000 where verdicts.count < count {
            try await pause()
            verdicts = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
                .compactMap { try? JSONDecoder().decode(Verdict.self, from: Data($0.utf8)) }
        }
        return verdicts
    }

    /// A port that is free, and stays so: below those that the system gives to the servers of other tests.
    private func freePort() async throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 20_000..<32_000)
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            if let channel = try? await bootstrap.bind(host: "127.0.0.1", port: port).get() {
                try await channel.close().get()
                return port
            }
        }
        throw ChildProcess.Missing(description: "There is no free port.")
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
