import NIOCore
import RedisClient
import RedisStoreEngine
import RedisTestSupport
import ServerCluster
import Testing

/// Partitions over a real Redis: their leaders are spread, and each goes on without the others.
@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .serialized, .timeLimit(.minutes(5)))
struct PartitionedClusterTests {
    private static let count = 4

    /// One process with a node in each partition.
    private struct Process {
        let nodes: [LiveNode]

        init(_ redis: RedisProcess, _ name: String) async throws {
            let partitions = try #require(ClusterPartitions(PartitionedClusterTests.count))
            let (pace, incarnation) = (HandOverPace(), UInt64.random(in: 0 ... .max))
            var nodes: [LiveNode] = []
            for number in partitions.all {
                nodes.append(
                    try await LiveNode.ready(redis, name) { settings in
                        settings.cluster.node = ClusterNode(name: name, incarnation: incarnation)
                        settings.redis.node = settings.cluster.node
                        settings.redis.keys = settings.redis.keys.of(partition: number, among: partitions)
                        settings.cluster.partition = ClusterPartition(number, among: partitions)
                        settings.cluster.pace = pace
                        // Short, so that the test is.
                        settings.cluster.handOver.settling = .milliseconds(500)
                        settings.cluster.handOver.pause = .milliseconds(100)
                    })
            }
            self.nodes = nodes
        }

        var led: Set<Int> { Set(nodes.indices.filter { nodes[$0].client.status.role != .follower }) }

        func close() async {
            await withTaskGroup(of: Void.self) { group in
                for node in nodes { group.addTask { await node.client.close() } }
            }
        }
    }

    /// Waits until each of two processes leads half of the partitions.
    private func spread(_ first: Process, _ second: Process) async -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while first.led.count != Self.count / 2 || second.led.count != Self.count / 2 || !first.led.isDisjoint(with: second.led) {
            guard ContinuousClock.now < end else { return false }
            await Task.yield()
        }
        return true
    }

    @Test("CR-55 and CR-56 A second process takes over half of the partitions, while texts are said, and none is lost or doubled")
    func spreading() async throws {
        let redis = try RedisProcess()
        let first = try await Process(redis, "a")
        #expect(first.led == Set(0..<Self.count))
        let second = try await Process(redis, "b")
        async let isSpread = spread(first, second)
        // Each text is answered with its number, whoever leads meanwhile.
        for number in 1...200 {
            for partition in 0..<Self.count {
                let process = number % 2 == 0 ? first : second
                #expect(try await process.nodes[partition].say("t\(number)").get() == "\(number)")
            }
        }
        #expect(await isSpread)
        for partition in 0..<Self.count {
            #expect(try await first.nodes[partition].say("end").get() == "201")
            let expected = (1...200).map { "\($0) t\($0)" } + ["201 end"]
            for process in [first, second] {
                try await process.nodes[partition].member.hears("end")
                #expect(process.nodes[partition].member.told.suffix(201) == expected.suffix(201))
                #expect(process.nodes[partition].client.status.losses == 0)
            }
        }
        await first.close()
        // Whoever remains leads everything.
        for node in second.nodes { #expect(await node.waitToLead()) }
        await second.close()
    }

    @Test("CR-54 Partitions on one Redis share nothing: each has its own log and its own numbers")
    func separation() async throws {
        let redis = try RedisProcess()
        let process = try await Process(redis, "a")
        for (partition, node) in process.nodes.enumerated() {
            for number in 0...partition { #expect(try await node.say("\(partition)-\(number)").get() == "\(number + 1)") }
        }
        for (partition, node) in process.nodes.enumerated() {
            try await node.member.hears("\(partition)-\(partition)")
            #expect(node.member.told == (0...partition).map { "\($0 + 1) \(partition)-\($0)" })
        }
        await process.close()
    }

    @Test("CR-52 Of servers with different layouts that start at the same moment, those with one of them are refused")
    func layout() async throws {
        let redis = try RedisProcess()
        let node = try await LiveNode.ready(redis, "a") { $0.redis.keys = ClusterKeys(cluster: "other") ?? $0.redis.keys }
        let keys = try #require(ClusterKeys(cluster: "test"))
        let layouts = try [2, 4].map { ClusterLayout(try #require(ClusterPartitions($0)), over: ["redis://h:6379/0"]) }
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for layout in layouts + layouts {
                group.addTask {
                    try await keys.claim(layout) { (command) throws(RedisFailure) in
                        try await node.engine.send(command, within: .seconds(60))
                    } != nil
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused == 2)
        await node.client.close()
    }
}
