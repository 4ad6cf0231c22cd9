import RedisClient
import RedisTestSupport
import ServerCluster
import Testing

/// Nodes that Redis refuses for a while.
@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .serialized, .timeLimit(.minutes(5)))
struct RedisAccessTests {
    @Test("CR-35 A password that is wrong for a while ends no node: it comes back by itself", arguments: StoreLane.allCases)
    func wrongPassword(lane: StoreLane) async throws {
        let redis = try RedisProcess()
        let admin = try await RedisOperator(redis)
        try await admin.order("ACL", "SETUSER", "node", "on", ">right", "~*", "&*", "+@all")
        let node = try await LiveNode.ready(redis, "a") {
            $0.redis.link.endpoint.handshake.credentials = RedisAddress.Credentials(user: "node", password: "right")
            $0.redis.link.policy.persistence = .fixed(.milliseconds(50))
        }
        #expect(try await node.say("one").get() == "1")
        try await admin.order("ACL", "SETUSER", "node", "resetpass", ">other")
        try await admin.order("CLIENT", "KILL", "USER", "node", "TYPE", lane == .commands ? "normal" : "pubsub")
        while node.client.status.trouble[lane]?.contains("WRONGPASS") != true { await Task.yield() }
        #expect(!node.client.status.isReady)
        try await admin.order("ACL", "SETUSER", "node", "resetpass", ">right")
        #expect(await node.client.waitUntilReady(within: .seconds(60)))
        #expect(try await node.say("two").get() == "2")
        #expect(node.member.told == ["1 one", "2 two"] && node.client.status.losses == 0)
        await node.client.close()
        await admin.close()
    }

    @Test("CR-35 A user without rights for a while ends no node")
    func noRights() async throws {
        let redis = try RedisProcess()
        let admin = try await RedisOperator(redis)
        try await admin.order("ACL", "SETUSER", "node", "on", ">right", "~*", "&*", "+@all")
        let node = try await LiveNode.ready(redis, "a") {
            $0.redis.link.endpoint.handshake.credentials = RedisAddress.Credentials(user: "node", password: "right")
            $0.redis.link.policy.persistence = .fixed(.milliseconds(50))
        }
        #expect(try await node.say("one").get() == "1")
        try await admin.order("ACL", "SETUSER", "node", "-@all")
        async let waiting = node.say("two")
        try await admin.order("CLIENT", "KILL", "USER", "node")
        while node.client.status.trouble.isEmpty { await Task.yield() }
        try await admin.order("ACL", "SETUSER", "node", "+@all")
        #expect(try await waiting.get() == "2")
        #expect(await node.client.waitUntilReady(within: .seconds(60)))
        #expect(node.member.told == ["1 one", "2 two"])
        await node.client.close()
        await admin.close()
    }

    @Test("CR-36 A new password is used at once by a node that is locked out")
    func newPassword() async throws {
        let redis = try RedisProcess()
        let admin = try await RedisOperator(redis)
        try await admin.order("ACL", "SETUSER", "node", "on", ">old", "~*", "&*", "+@all")
        let node = try await LiveNode.ready(redis, "a") {
            $0.redis.link.endpoint.handshake.credentials = RedisAddress.Credentials(user: "node", password: "old")
            $0.redis.link.policy.persistence = .fixed(.seconds(3_600))
        }
        try await admin.order("ACL", "SETUSER", "node", "resetpass", ">new")
        try await admin.order("CLIENT", "KILL", "USER", "node")
        for lane in StoreLane.allCases {
            while node.client.status.trouble[lane]?.contains("WRONGPASS") != true { await Task.yield() }
        }
        var endpoint = node.engine.settings.link.endpoint
        endpoint.handshake.credentials?.password = "new"
        node.engine.renew(endpoint)
        #expect(await node.client.waitUntilReady(within: .seconds(60)))
        #expect(try await node.say("one").get() == "1")
        await node.client.close()
        await admin.close()
    }
}
