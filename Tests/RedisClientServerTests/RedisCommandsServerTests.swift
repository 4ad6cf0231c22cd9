import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import RedisTestSupport
import SocketTestSupport
import Testing

@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(3)))
struct RedisCommandsServerTests {
    @Test func `RC-11 Answers come in the order of the commands, whoever else uses the server`() async throws {
        let server = try RedisProcess()
        let (live, other) = (try LiveLink(server), try LiveLink(server))
        let answers = NIOLockedValueBox<[Int64]>([])
        let done = Inbox<Int>()
        for number in 1...5_000 as ClosedRange<Int64> {
            live.link.send(.command(RedisCommand("ECHO", .integer(number))), within: LiveLink.limit) { result in
                let count = answers.withLockedValue { answers in
                    answers.append((try? result.get())?.number ?? -1)
                    return answers.count
                }
                if count == 5_000 { done.put(count) }
            }
            if number % 50 == 0 { try await other.send("INCR", "n") }
        }
        _ = try await done.next()
        #expect(answers.withLockedValue { $0 } == Array(1...5_000))
        #expect(try await other.send("GET", "n").number == 100)
    }

    @Test func `RC-1 Values of every type come back as they are`() async throws {
        let server = try RedisProcess()
        let live = try LiveLink(server)
        defer { server.kill() }
        let bytes = ByteBuffer(bytes: (0...255).map { UInt8($0) })
        #expect(try await live.send("SET", "k", .bytes(bytes)) == .simple("OK"))
        #expect(try await live.send("GET", "k") == .bulk(bytes))
        #expect(try await live.send("GET", "none") == .null)
        try await live.send("HSET", "h", "a", "1")
        #expect(
            try await live.send("HGETALL", "h")
                == .map([RedisPair(.bulk(ByteBuffer(string: "a")), .bulk(ByteBuffer(string: "1")))]))
        try await live.send("ZADD", "z", "1.5", "a")
        #expect(try await live.send("ZSCORE", "z", "a") == .double(1.5))
        try await live.send("SADD", "s", "a")
        #expect(try await live.send("SMEMBERS", "s") == .set([.bulk(ByteBuffer(string: "a"))]))
        #expect(
            try await live.send("EVAL", "redis.setresp(3); return {true, {double=2.5}, {1, {2}}}", 0)
                == .array([
                    .boolean(true), .double(2.5), .array([.integer(1), .array([.integer(2)])]),
                ]))
        let long = ByteBuffer(repeating: 65, count: 3_000_000)
        try await live.send("SET", "long", .bytes(long))
        #expect(try await live.send("GET", "long") == .bulk(long))
    }

    @Test func `RC-28 A script runs after the server has forgotten it, and scripts keep their order`() async throws {
        let server = try RedisProcess()
        let live = try LiveLink(server)
        let push = RedisScript(name: "push", text: "return redis.call('RPUSH', KEYS[1], ARGV[1])")
        #expect(try await live.link.run(push, keys: ["l"], arguments: ["a"], within: LiveLink.limit).number == 1)
        try await live.send("SCRIPT", "FLUSH", "SYNC")
        let done = Inbox<Int64?>()
        for letter in ["b", "c", "d"] {
            live.link.send(.script(push, keys: ["l"], arguments: [.text(letter)]), within: LiveLink.limit) {
                done.put((try? $0.get())?.number)
            }
        }
        for number in 2...4 as ClosedRange<Int64> { #expect(try await done.next() == number) }
        #expect(try await live.send("LRANGE", "l", 0, -1).elements?.map(\.text) == ["a", "b", "c", "d"])
    }

    @Test func `RC-26 A full server refuses writes and says why, and still answers what only reads`() async throws {
        let server = try RedisProcess(["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"])
        let live = try LiveLink(server)
        defer { server.kill() }
        try await live.send("SET", "first", "1")
        let filler = String(repeating: "x", count: 100_000)
        do {
            for number in 0..<100 as Range<Int64> { try await live.send("SET", .integer(number), .text(filler)) }
            Issue.record("The server took everything.")
        } catch {
            #expect(error.code == "OOM" && !error.isOutcomeUnknown)
        }
        #expect(try await live.send("GET", "first").number == 1)
    }

    @Test func `RC-24 A server that runs a long script is waited for`() async throws {
        let server = try RedisProcess(["--busy-reply-threshold", "100"])
        let (runner, killer) = (try await LiveLink.admin(server), try await LiveLink.admin(server))
        let live = try LiveLink(server)
        try await live.waitForRestored()
        async let endless = runner.outcome("EVAL", "while true do end", 0)
        let isKilled = NIOLockedValueBox(false)
        async let killing: Void = {
            try await live.waitForTrouble { $0.code == "BUSY" }
            try await killer.send("SCRIPT", "KILL")
            isKilled.withLockedValue { $0 = true }
        }()
        // Answered until the script runs. The one that comes after it waits until the script is killed.
        while !isKilled.withLockedValue({ $0 }) { try await live.send("INCR", "k") }
        try await killing
        #expect(await endless == "ERR")
    }
}
