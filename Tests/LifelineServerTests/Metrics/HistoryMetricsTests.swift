import Foundation
import ServerStorage
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite(.timeLimit(.minutes(2))) struct HistoryMetricsTests {
    /// Waits until `/metrics` has lines.
    private func expect(_ lines: [String], of server: LifelineServer) async throws {
        try await eventually {
            let text = try await server.request("GET", "/metrics").body
            return lines.allSatisfy { text.contains("\n" + $0 + "\n") }
        }
    }

    @Test(arguments: [false, true])
    func `SO-165 SO-168: a server keeps the newest messages of a keyset within its limit, and tells how many there are`(
        isDurable: Bool
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        var keyset = Keyset.development
        keyset.historyMessages = 3
        try await withServer(
            quietApplication,
            {
                $0.keysets = [keyset]
                if isDurable { $0.dataDirectory = directory.path }
            }
        ) { server in
            let client = try await PollClient.connect(server)
            for number in 1...5 { _ = try await client.publish("\(number)", to: "room") }
            let app = #"{service="pubnub",app="demo"}"#
            try await expect(
                [
                    "lifeline_history_messages\(app) 3", "lifeline_history_bytes\(app) 3",
                    "lifeline_history_removed_total\(app) 2",
                ],
                of: server)
            #expect(try await client.get("/v2/history/sub_key/demo/channel/room").body.hasPrefix("[[3,4,5],"))
        }
    }

    @Test func `SO-166 SO-168: a server keeps the newest messages of a chat application within its limit`() async throws {
        var application = ChatApplication.development
        application.limits.historyMessages = 2
        try await withServer(quietApplication, { $0.chatApplications = [application] }) { server in
            let client = try await server.device("a")
            for number in 1...4 { try await client.say("hello", to: "b", cid: "\(number)") }
            let app = #"{service="chat",app="app-key"}"#
            try await expect(["lifeline_history_messages\(app) 2", "lifeline_history_removed_total\(app) 2"], of: server)
        }
    }
}
