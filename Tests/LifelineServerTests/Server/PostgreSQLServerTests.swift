import PostgreSQLStorage
import PostgresTestSupport
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"), .timeLimit(.minutes(2)))
struct PostgreSQLServerTests {
    @Test func `PG-16: a server on PostgreSQL keeps everything over a restart`() async throws {
        let database = try PostgresProcess.shared()
        let stores = ServerStores.postgreSQL(PostgreSQLSettings(url: database.url, schema: "restart"))
        for round in 0..<2 {
            try await withServer(quietApplication, { $0.stores = stores }) { server in
                let client = try await PollClient.connect(server)
                if round == 0 { try await client.publish("1", to: "room") }
                #expect(try await client.get("/v2/history/sub-key/demo/channel/room").body.hasPrefix("[[1],"))
                _ = try await server.issueChatToken(user: "ann")
                #expect(try await server.request("GET", "/ready").status == 200)
            }
        }
    }

    @Test func `PG-20: applications that were made at run time are there after a restart`() async throws {
        let database = try PostgresProcess.shared()
        let stores = ServerStores.postgreSQL(PostgreSQLSettings(url: database.url, schema: "runtime"))
        var secret = ""
        try await TestApplications.withServer({ $0.stores = stores }) { server, admin in
            secret = try await admin.create("pusher", #"{"id":"7","key":"seven"}"#)
            _ = try await TestClient.connect(server, key: "seven", secret: secret)
        }
        try await TestApplications.withServer({ $0.stores = stores }) { server, admin in
            #expect(try await admin.sources().contains("pusher/7 runtime"))
            _ = try await TestClient.connect(server, key: "seven", secret: secret)
        }
    }

    @Test func `PG-16 SO-172: while PostgreSQL is away publishing gets 503, and the server is not ready`() async throws {
        let database = try PostgresProcess()
        let stores = ServerStores.postgreSQL(PostgreSQLSettings(url: database.url))
        let log = LogLines()
        let configure: (inout ServerConfiguration) -> Void = {
            $0.stores = stores
            $0.logger = log.logger(.notice)
        }
        try await withServer(quietApplication, configure) { server in
            let client = try await PollClient.connect(server)
            try await client.publish("1", to: "room")
            database.stop()
            #expect(try await client.get("/publish/demo/demo/0/room/0/2").status == 503)
            #expect(try await client.get("/v2/history/sub-key/demo/channel/room").status == 500)
            let answer = try await server.request("GET", "/ready")
            #expect(answer.status == 503 && answer.body.contains(#""store""#))
            let metrics = try await server.request("GET", "/metrics").body
            #expect(metrics.contains(#"lifeline_store_available{service="pubnub"} 0"#))
            await log.wait(
                for: "warning the store cannot be used: requests that have to store something are refused cause=PostgreSQL ")
            try database.start()
            while try await server.request("GET", "/ready").status == 503 { await Task.yield() }
            try await client.publish("3", to: "room")
            var history = try await client.get("/v2/history/sub-key/demo/channel/room")
            // Reads have connections of their own, which come back by themselves.
            while history.status == 500 { history = try await client.get("/v2/history/sub-key/demo/channel/room") }
            #expect(history.body.hasPrefix("[[1,3],"))
            await log.wait(for: "notice the store can be used again service=pubnub")
        }
    }
}
