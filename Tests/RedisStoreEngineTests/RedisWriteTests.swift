import NIOCore
import RedisClient
import ServerCluster
import Testing

@testable import RedisStoreEngine

/// The commands of Redis for each kind of write. Versions next to each other store with them what the other one restores, so a change of this
/// table is a change of what is stored.
@Suite struct RedisWriteTests {
    private static let bytes = ByteBuffer(bytes: [0, 255, 13, 10])

    static let table: [(write: StoreWrite, command: RedisCommand)] = [
        (.set("k", "v"), RedisCommand("SET", "k", "v")),
        (.set("k", .integer(-7)), RedisCommand("SET", "k", .integer(-7))),
        (.setIfAbsent("k", .bytes(bytes)), RedisCommand("SET", "k", .bytes(bytes), "NX")),
        (.setFor(milliseconds: 1_500, "k", .bytes(bytes)), RedisCommand("SET", "k", .bytes(bytes), "PX", 1_500)),
        (.unset("k"), RedisCommand("DEL", "k")),
        (.remove("k"), RedisCommand("UNLINK", "k")),
        (.remove(["k", "l"]), RedisCommand("UNLINK", "k", "l")),
        (.expire("k", milliseconds: 600_000), RedisCommand("PEXPIRE", "k", 600_000)),
        (.persist("k"), RedisCommand("PERSIST", "k")),
        (.put("k", .bytes(bytes), value: 1), RedisCommand("HSET", "k", .bytes(bytes), 1)),
        (
            .put("k", [StoreField("f", "v"), StoreField("g", .bytes(bytes))]),
            RedisCommand("HSET", "k", "f", "v", "g", .bytes(bytes))
        ),
        (.putIfAbsent("k", StoreField("f", "v")), RedisCommand("HSETNX", "k", "f", "v")),
        (.removeFields("k", ["f", "g"]), RedisCommand("HDEL", "k", "f", "g")),
        (.add("k", ["m", "n"]), RedisCommand("SADD", "k", "m", "n")),
        (.removeMembers("k", ["m"]), RedisCommand("SREM", "k", "m")),
        (.rank("k", .bytes(bytes), score: 17), RedisCommand("ZADD", "k", 17, .bytes(bytes))),
        (.removeRanked("k", ["m", "n"]), RedisCommand("ZREM", "k", "m", "n")),
        (.removeRankedUpTo("k", score: 17), RedisCommand("ZREMRANGEBYSCORE", "k", "-inf", 17)),
        (
            .append("k", number: 17, [StoreField("m", .bytes(bytes)), StoreField("e", "9")], nil),
            RedisCommand("XADD", "k", "17-0", "m", .bytes(bytes), "e", "9")
        ),
        (
            .append("k", number: .max, [StoreField("m", "")], .before(5)),
            RedisCommand("XADD", "k", "MINID", "~", "5-0", "18446744073709551615-0", "m", "")
        ),
        (
            .append("k", number: 17, [StoreField("m", "")], .length(20_000)),
            RedisCommand("XADD", "k", "MAXLEN", "~", 20_000, "17-0", "m", "")
        ),
        (.trim("k", before: 17, isExact: false), RedisCommand("XTRIM", "k", "MINID", "~", "17-0")),
        (.trim("k", before: 17, isExact: true), RedisCommand("XTRIM", "k", "MINID", "17-0")),
        (.removeEntries("k", [17, 18]), RedisCommand("XDEL", "k", "17-0", "18-0")),
    ]

    @Test("CR-71: each kind of write is the command of Redis that it was in the version before", arguments: table.indices)
    func commands(index: Int) {
        let (write, command) = Self.table[index]
        // Commands show their names only, and the table needs their words.
        #expect(RedisCommand(write).name == command.name)
        #expect(RedisCommand(write).arguments == command.arguments)
        #expect(write.keys.allSatisfy { command.arguments.contains(RedisArgument($0)) })
    }

    @Test func `CR-71: the batch of a script has each command with the number of its words`() throws {
        let keys = try #require(ClusterKeys(cluster: "test"))
        let node = ClusterNode(name: "a", incarnation: 1)
        let batch = ClusterBatch(
            position: ClusterPosition(generation: 7, sequence: 3), previous: .origin, leader: node, items: [.opened])
        let commit = ClusterCommit(
            batch: batch, writes: Self.table.map(\.write), trim: ClusterPosition(generation: 7, sequence: 1))
        guard case .script(_, let keyed, let arguments) = keys.commit(commit) else {
            Issue.record("a batch is not a script")
            return
        }
        let head: [RedisArgument] = ["7", "3", .bytes(batch.encoded()), "{lifeline:test}:log", .text("7-1")]
        let words = Self.table.flatMap {
            [.integer(Int64($0.command.arguments.count + 1)), .text($0.command.name)] + $0.command.arguments
        }
        #expect(keyed == ["{lifeline:test}:leader", "{lifeline:test}:log"])
        #expect(arguments.count == head.count + words.count && arguments == head + words)
        guard case .script(_, let all, _) = keys.commit(commit, namesKeys: true) else { return }
        #expect(Set(all) == ["{lifeline:test}:leader", "{lifeline:test}:log", "k", "l"])
    }

    @Test func `CR-25: a write that is too long for a script is several commands in its batch`() throws {
        let keys = try #require(ClusterKeys(cluster: "test"))
        let batch = ClusterBatch(
            position: .origin, previous: .origin, leader: ClusterNode(name: "a", incarnation: 1), items: [.opened])
        let fields = (0..<7_000).map { StoreField(.integer($0), "v") }
        guard case .script(_, _, let arguments) = keys.commit(ClusterCommit(batch: batch, writes: [.put("k", fields)])) else {
            Issue.record("a batch is not a script")
            return
        }
        #expect(arguments.count == 5 + 3 * 3 + 14_000)
        #expect(arguments.dropFirst(5).prefix(3) == [7_000, "HSET", "k"])
        #expect(arguments.suffix(7) == [6, "HSET", "k", 6_998, "v", 6_999, "v"])
    }
}
