import Identifiers
import LifelineServer
import RedisTestSupport
import ServerStorage
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite(
    "Applications that are made at run time, on two servers with one Redis",
    .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"),
    .timeLimit(.minutes(2)))
struct RuntimeApplicationsRedisTests {
    private func withServers(
        _ redis: RedisProcess, _ change: @escaping (inout ServerConfiguration) -> Void = { _ in },
        _ body: ((LifelineServer, AdminClient), (LifelineServer, AdminClient)) async throws -> Void
    ) async throws {
        let address = "redis://127.0.0.1:\(redis.port)"
        let (one, other) = (
            try RedisConfiguration(address: address, node: "a"), try RedisConfiguration(address: address, node: "b")
        )
        try await TestApplications.withServer({
            $0.redis = one
            change(&$0)
        }) { first, firstAdmin in
            try await TestApplications.withServer({
                $0.redis = other
                change(&$0)
            }) { second, secondAdmin in try await body((first, firstAdmin), (second, secondAdmin)) }
        }
    }

    @Test func `AR-13: what one server is told is valid on the other one at once, and after a start of all`() async throws {
        let redis = try RedisProcess()
        var secret = ""
        try await withServers(redis) { first, second in
            secret = try await first.1.create("pusher", #"{"id":"7","key":"seven"}"#)
            try await first.1.create("pubnub", #"{"publishKey":"p","subscribeKey":"s"}"#)
            try await eventually {
                try await second.0.request("GET", "/publish/p/s/0/room/0/1").status == 200
            }
            let client = try await TestClient.connect(second.0, key: "seven", secret: secret)
            try await client.subscribe("private-a")
            // The other server has read the change before, or reads it when it finds another number.
            #expect(try await second.1.call("POST", "/pusher/7/disable").status == 200)
            #expect(try await client.expectFarewell() == 4003)
            try await eventually {
                let refused = try await TestClient.open(first.0, path: "/app/seven?protocol=7")
                return try await refused.expectFarewell() == 4003
            }
        }
        try await withServers(redis) { _, second in
            #expect(try await second.1.sources().contains("pusher/7 runtime"))
            #expect(try await second.1.call("POST", "/pusher/7/enable").status == 200)
            _ = try await TestClient.connect(second.0, key: "seven", secret: secret)
        }
    }

    @Test func `AR-5: without Redis a server keeps what it has, says so, and reads again afterwards`() async throws {
        let redis = try RedisProcess(["--appendonly", "yes", "--appendfsync", "always"])
        let log = LogLines()
        let logger = log.logger()
        try await withServers(redis, { $0.logger = logger }) { first, _ in
            try await first.1.create("pusher", #"{"id":"7","key":"seven"}"#)
            redis.kill()
            await log.wait(for: "the store of applications cannot be read", count: 2)
            let answer = try await first.1.call("POST", "/pusher/7/disable")
            #expect(answer.status == 503)
            #expect(try await first.1.call("GET").body["trouble"]?.string != nil)
            #expect(try await first.1.sources().contains("pusher/7 runtime"))
            try redis.start()
            await log.wait(for: "the store of applications can be read again", count: 2)
            #expect(try await first.1.call("GET").body["trouble"] == .null)
        }
    }
}
