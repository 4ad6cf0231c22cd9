import NIOCore
import RedisClient
import RedisTestSupport
import SocketTestSupport
import Testing

/// Masters that move: Sentinels, and clusters.
@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .serialized, .timeLimit(.minutes(3)))
struct RedisTopologyServerTests {
    private struct TimedOut: Error {}

    /// Asks until the answer is yes, for a minute at most.
    private func wait(until condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !condition() {
            guard ContinuousClock.now < end, !Task.isCancelled else { throw TimedOut() }
            await Task.yield()
        }
    }

    /// A master with a replica that has everything, and a Sentinel that knows both.
    private func watched() async throws -> (master: RedisProcess, replica: RedisProcess, sentinel: RedisProcess) {
        let master = try RedisProcess()
        let replica = try RedisProcess(["--replicaof", "127.0.0.1", "\(master.port)"])
        let admin = try await LiveLink.admin(replica)
        try await wait { try await admin.send("INFO", "replication").text?.contains("master_link_status:up") == true }
        let sentinel = try RedisProcess(watching: master, as: "m")
        let watcher = try await LiveLink.admin(sentinel)
        try await wait { try await watcher.send("SENTINEL", "REPLICAS", "m").elements?.isEmpty == false }
        return (master, replica, sentinel)
    }

    @Test func `RC-36 After a failover both connections lead to the new master`() async throws {
        let (master, replica, sentinel) = try await watched()
        // The first of them is not there.
        let live = try LiveLink(RedisAddress("redis://127.0.0.1:1,127.0.0.1:\(sentinel.port)?sentinel=m"))
        try await live.subscribe("a")
        try await live.send("SET", "k", "1")
        master.kill()
        try await wait { await live.outcome("SET", "k", "2") == nil }
        let admin = try await LiveLink.admin(replica)
        #expect(try await admin.send("GET", "k").text == "2")
        _ = try await live.events.next { if case .interrupted = $0 { true } else { false } }
        try await live.waitForRestored()
        try await admin.send("PUBLISH", "a", "x")
        #expect(try await live.message().payload == "x")
    }

    @Test(arguments: [false, true])
    func `RC-36, RC-40 A master that the Sentinels have replaced is left although it answers, at once by their word`(
        isTold: Bool
    ) async throws {
        let (master, replica, sentinel) = try await watched()
        let live = try LiveLink(RedisAddress("redis://127.0.0.1:\(sentinel.port)?sentinel=m")) {
            $0.policy.looking = isTold ? .seconds(3_600) : .milliseconds(50)
        }
        try await live.send("SET", "k", "1")
        let watcher = try await LiveLink.admin(sentinel)
        // Until the Sentinel has a connection to the replica, and its answer, it says that there is none to promote.
        try await wait {
            do throws(RedisFailure) {
                try await watcher.send("SENTINEL", "FAILOVER", "m")
                return true
            } catch .refused(let reply) where reply.code == "NOGOODSLAVE" {
                return false
            }
        }
        try await wait {
            try await watcher.send("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "m").elements?.last?.number == Int64(replica.port)
        }
        let admin = try await LiveLink.admin(replica)
        // What the former master still takes is lost when it becomes a replica.
        try await wait {
            _ = await live.outcome("SET", "k", "2")
            return try await admin.send("GET", "k").text == "2"
        }
        #expect(try await live.send("ROLE").elements?.first?.text == "master")
        _ = master
    }

    @Test func `RC-38 Sentinels that know no such master are no way to Redis`() async throws {
        let master = try RedisProcess()
        let sentinel = try RedisProcess(watching: master, as: "other")
        let live = try LiveLink(RedisAddress("redis://127.0.0.1:\(sentinel.port)?sentinel=m"))
        try await live.waitForTrouble { $0 == .unlocated }
    }

    @Test func `RC-37 In a cluster the node that has the slot is dialled, also after the slot has moved`() async throws {
        let options = [
            "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-require-full-coverage", "no",
        ]
        // The port for the other nodes is a free one, too: by itself it would be a fixed distance away, and could be taken.
        let buses = [RedisProcess.freePort(), RedisProcess.freePort()]
        let nodes = try buses.map { try RedisProcess(options + ["--cluster-port", "\($0)"]) }
        let admins = [try await LiveLink.admin(nodes[0]), try await LiveLink.admin(nodes[1])]
        // 3443 is the slot of "{user1000}", the example of the specification.
        try await admins[0].send("CLUSTER", "ADDSLOTSRANGE", "0", "8191")
        try await admins[1].send("CLUSTER", "ADDSLOTSRANGE", "8192", "16383")
        try await admins[1].send("CLUSTER", "SET-CONFIG-EPOCH", "2")
        try await admins[0].send("CLUSTER", "MEET", "127.0.0.1", .integer(Int64(nodes[1].port)), .integer(Int64(buses[1])))
        for admin in admins {
            try await wait { try await admin.send("CLUSTER", "INFO").text?.contains("cluster_slots_assigned:16384") == true }
        }
        let address = try RedisAddress("redis://127.0.0.1:\(nodes[1].port)?cluster=true")
        let live = try LiveLink(address, key: "{user1000}") { $0.policy.looking = .milliseconds(100) }
        try await live.send("SET", "{user1000}:k", "1")
        try await live.subscribe("{user1000}:a")
        // A message of one node reaches the subscribers of all.
        try await admins[1].send("PUBLISH", "{user1000}:a", "x")
        #expect(try await live.message().payload == "x")
        let ids = [
            try #require(try await admins[0].send("CLUSTER", "MYID").text),
            try #require(try await admins[1].send("CLUSTER", "MYID").text),
        ]
        try await admins[0].send("DEL", "{user1000}:k")
        for admin in [admins[1], admins[0]] { try await admin.send("CLUSTER", "SETSLOT", "3443", "NODE", .text(ids[1])) }
        #expect(await live.outcome("SET", "{user1000}:k", "2") == nil)
        #expect(try await admins[1].send("GET", "{user1000}:k").text == "2")
    }
}
