import NIOCore
import RedisClient
import RedisStoreEngine
import RedisTestSupport
import ServerCluster
import Testing

/// Nodes over a real Redis that is killed, emptied and frozen.
@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .serialized, .timeLimit(.minutes(5)))
struct ClusterRedisTests {
    @Test("CR-1 All nodes are told what each of them says, in one order, and each request is answered once")
    func oneOrder() async throws {
        let redis = try RedisProcess()
        let nodes = [
            try await LiveNode.ready(redis, "a"), try await LiveNode.ready(redis, "b"), try await LiveNode.ready(redis, "c"),
        ]
        await withTaskGroup(of: Void.self) { group in
            for (index, node) in nodes.enumerated() {
                for number in 0..<100 {
                    group.addTask { #expect((try? await node.say("\(index)-\(number)").get()) != nil) }
                }
            }
        }
        #expect(try await nodes[0].say("end").get() == "301")
        for node in nodes {
            try await node.member.hears("end")
            #expect(node.member.told == nodes[0].member.told)
            #expect(node.member.told.count == 301)
        }
        #expect(nodes.count { $0.client.status.role != .follower } == 1)
        for node in nodes { await node.client.close() }
    }

    @Test("CR-15 A leader that takes leave is followed by another one, which knows what was kept")
    func resignation() async throws {
        let redis = try RedisProcess()
        let first = try await LiveNode.ready(redis, "a")
        let second = try await LiveNode.ready(redis, "b")
        #expect(await first.waitToLead())
        #expect(try await second.say("one").get() == "1")
        await first.client.close()
        #expect(try await second.say("two").get() == "2")
        #expect(second.client.status.role != .follower)
        #expect(second.member.told == ["1 one", "2 two"])
        await second.client.close()
    }

    @Test("CR-47 A new leader can read what all leaders before have decided, in its order, as far as the log has it")
    func log() async throws {
        let redis = try RedisProcess()
        var nodes: [LiveNode] = []
        for name in ["a", "b", "c"] {
            nodes.append(try await LiveNode.ready(redis, name))
            if nodes.count == 1 { #expect(await nodes[0].waitToLead()) }
        }
        // More batches than are read at a time.
        for number in 1...250 { #expect(try await nodes[2].say("text\(number)").get() == "\(number)") }
        await nodes[0].client.close()
        #expect(try await nodes[2].say("text251").get() == "251")
        let second = try #require(nodes[1...].first { $0.client.status.role != .follower })
        #expect(second.factory.logged == (1...250).map { "\($0) text\($0)" })
        await second.client.close()
        let third = try #require(nodes[1...].first { $0 !== second })
        #expect(try await third.say("text252").get() == "252")
        #expect(third.factory.logged == (1...251).map { "\($0) text\($0)" })
        await third.client.close()
    }

    @Test("CR-3 A Redis that is killed and keeps its file costs no text and tells none twice")
    func restartedRedis() async throws {
        let redis = try RedisProcess(["--appendonly", "yes", "--appendfsync", "always"])
        let nodes = [try await LiveNode.ready(redis, "a"), try await LiveNode.ready(redis, "b")]
        #expect(try await nodes[1].say("one").get() == "1")
        redis.kill()
        async let waiting = nodes[1].say("two")
        try redis.start()
        #expect(try await waiting.get() == "2")
        #expect(try await nodes[0].say("three").get() == "3")
        for node in nodes {
            try await node.member.hears("three")
            #expect(node.member.told == ["1 one", "2 two", "3 three"])
            #expect(node.client.status.losses == 0)
        }
        for node in nodes { await node.client.close() }
    }

    @Test("CR-4 A Redis that comes back empty is a loss that every node declares, and then it goes on")
    func emptiedRedis() async throws {
        let redis = try RedisProcess()
        let nodes = [try await LiveNode.ready(redis, "a"), try await LiveNode.ready(redis, "b")]
        #expect(try await nodes[1].say("one").get() == "1")
        redis.kill()
        try redis.start()
        for node in nodes { _ = try await node.member.events.next { $0 == .interrupted } }
        // A node that has not found its place in the new log yet begins behind what is said meanwhile.
        for node in nodes { #expect(await node.client.waitUntilReady(within: .seconds(60))) }
        #expect(try await nodes[0].say("again").get() == "1")
        for node in nodes { try await node.member.hears("again") }
        for node in nodes { await node.client.close() }
    }

    @Test("CR-5 A node whose connections to Redis are cut misses nothing")
    func cutConnections() async throws {
        let redis = try RedisProcess()
        let nodes = [try await LiveNode.ready(redis, "a"), try await LiveNode.ready(redis, "b")]
        for round in 1...5 {
            _ = try await nodes[0].engine.send(RedisCommand("CLIENT", "KILL", "TYPE", "pubsub"), within: .seconds(60))
            #expect(try await nodes[round % 2].say("t\(round)").get() == "\(round)")
        }
        for node in nodes {
            try await node.member.hears("t5")
            #expect(node.member.told == (1...5).map { "\($0) t\($0)" })
            #expect(node.client.status.losses == 0)
        }
        for node in nodes { await node.client.close() }
    }

    @Test("CR-7 What the leader does not answer in time has failed, and says whether it may have been done")
    func deadlines() async throws {
        let redis = try RedisProcess()
        let node = try await LiveNode.ready(redis, "a")
        redis.freeze(true)
        let result = await node.say("late", within: .milliseconds(500))
        #expect(result == .failure(.unknown))
        redis.freeze(false)
        // Unknown means either. What was done has a number, and nothing has two.
        let next = try await node.say("next").get()
        try await node.member.hears("next")
        #expect([["1 late", "2 next"], ["1 next"]].contains(node.member.told))
        #expect(node.member.told.last == "\(next) next")
        await node.client.close()
    }

    @Test("CR-13 A node that is silent is given up, told so, and comes back")
    func silentNode() async throws {
        let redis = try RedisProcess()
        let leader = try await LiveNode.ready(redis, "a") {
            $0.cluster.leader.nodeTimeout = .milliseconds(600)
            $0.cluster.member.heartbeat = .milliseconds(100)
        }
        #expect(await leader.waitToLead())
        let silent = try await LiveNode.ready(redis, "b") { $0.cluster.member.heartbeat = .seconds(2) }
        #expect(try await leader.factory.gone.next() == silent.client.node)
        _ = try await silent.member.events.next { $0 == .interrupted }
        #expect(try await silent.say("back").get() == "1")
        await silent.client.close()
        await leader.client.close()
    }

    @Test("CR-17 Two nodes with one name are two nodes")
    func oneName() async throws {
        let redis = try RedisProcess()
        let nodes = [try await LiveNode.ready(redis, "same"), try await LiveNode.ready(redis, "same")]
        #expect(try await nodes[0].say("one").get() == "1")
        #expect(try await nodes[1].say("two").get() == "2")
        for node in nodes { try await node.member.hears("two") }
        #expect(nodes.count { $0.client.status.role != .follower } == 1)
        for node in nodes { await node.client.close() }
    }

    @Test("RC-28 Scripts that Redis has forgotten are loaded again")
    func flushedScripts() async throws {
        let redis = try RedisProcess()
        let node = try await LiveNode.ready(redis, "a")
        #expect(try await node.say("one").get() == "1")
        _ = try await node.engine.send(RedisCommand("SCRIPT", "FLUSH"), within: .seconds(60))
        #expect(try await node.say("two").get() == "2")
        await node.client.close()
    }

    @Test("CR-18 A Redis that is full refuses, and goes on when there is room; nothing was half done")
    func fullRedis() async throws {
        let redis = try RedisProcess()
        let node = try await LiveNode.ready(redis, "a")
        #expect(try await node.say("one").get() == "1")
        _ = try await node.engine.send(RedisCommand("CONFIG", "SET", "maxmemory", "1"), within: .seconds(60))
        async let waiting = node.say("two")
        while !node.client.status.isRefused { await Task.yield() }
        #expect(!node.client.status.isReady)
        _ = try await node.engine.send(RedisCommand("CONFIG", "SET", "maxmemory", "0"), within: .seconds(60))
        #expect(try await waiting.get() == "2")
        #expect(node.member.told == ["1 one", "2 two"])
        await node.client.close()
    }

    @Test(
        "CR-40 Long answers to queries take no room in the log, and Redis disconnects nobody for them although its limit is low")
    func queries() async throws {
        let redis = try RedisProcess(["--client-output-buffer-limit", "pubsub 4mb 2mb 5"])
        let nodes = [try await LiveNode.ready(redis, "a"), try await LiveNode.ready(redis, "b")]
        let keys = try #require(ClusterKeys(cluster: "test"))
        func subscribers() async throws -> Set<Substring> {
            let list = try await nodes[0].engine.send(RedisCommand("CLIENT", "LIST", "TYPE", "pubsub"), within: .seconds(60))
            return Set((list.text ?? "").split(separator: "\n").compactMap { $0.split(separator: " ").first })
        }
        let before = try await subscribers()
        await withTaskGroup(of: Void.self) { group in
            for node in nodes {
                for bytes in [0, 1, 65_536, 65_537, 2_000_000, 2_000_000, 2_000_000] {
                    group.addTask { #expect(await node.query(bytes) == .success(bytes)) }
                }
            }
        }
        let size = try await nodes[0].engine.send(RedisCommand("MEMORY", "USAGE", keys.key("log")), within: .seconds(60))
        #expect(try #require(size.number) < 100_000)
        // Each line begins with the number of a connection, which no other one has had.
        #expect(try await subscribers() == before && !before.isEmpty)
        for node in nodes {
            #expect(node.client.status.losses == 0)
            await node.client.close()
        }
    }

    @Test("CR-40 A query whose answer is lost with the connection is answered all the same")
    func interruptedQueries() async throws {
        let redis = try RedisProcess()
        let nodes = [try await LiveNode.ready(redis, "a"), try await LiveNode.ready(redis, "b")]
        for _ in 0..<3 {
            await withTaskGroup(of: Void.self) { group in
                for node in nodes { group.addTask { #expect(await node.query(3_000_000) == .success(3_000_000)) } }
                group.addTask {
                    _ = try? await nodes[0].engine.send(RedisCommand("CLIENT", "KILL", "TYPE", "pubsub"), within: .seconds(60))
                }
            }
        }
        for node in nodes {
            #expect(node.client.status.losses == 0)
            await node.client.close()
        }
    }

    @Test("CR-25 A command with more fields than Lua can hand over is kept as a whole, in one batch")
    func manyFields() async throws {
        let redis = try RedisProcess()
        let node = try await LiveNode.ready(redis, "a")
        let keys = try #require(ClusterKeys(cluster: "test"))
        func count() async throws -> Int64? {
            try await node.engine.send(RedisCommand("HLEN", keys.key("pusher:fields")), within: .seconds(60)).number
        }
        #expect(try await node.say("many").get() == "1")
        #expect(try await count() == 20_000)
        #expect(try await node.say("none").get() == "2")
        #expect(try await count() == 0)
        #expect(node.member.told == ["1 many", "2 none"])
        await node.client.close()
    }
}
