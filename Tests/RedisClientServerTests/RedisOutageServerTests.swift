import NIOCore
import RedisClient
import RedisTestSupport
import SocketTestSupport
import Testing

@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(3)))
struct RedisOutageServerTests {
    @Test func `RC-22 After kill -9 and a restart calls that waited are carried out, and the owner was told of the gap`()
        async throws
    {
        let server = try RedisProcess(["--appendonly", "yes", "--appendfsync", "always"])
        let live = try LiveLink(server)
        try await live.subscribe("a")
        try await live.send("SET", "k", "1")
        server.kill()
        // Both connections have to be known as lost, or a call could still be sent. Earlier troubles are those of the start.
        var (isReady, isLost, isInterrupted) = (false, false, false)
        _ = try await live.events.next { event in
            switch event {
            case .status(.commands, .ready): (isReady, isLost) = (true, false)
            case .status(.commands, .waiting): isLost = isReady
            case .interrupted: isInterrupted = true
            default: break
            }
            return isLost && isInterrupted
        }
        let answered = Inbox<Int64?>()
        for _ in 0..<3 {
            live.link.send(.command(RedisCommand("INCR", "k")), within: LiveLink.limit) { answered.put((try? $0.get())?.number) }
        }
        await #expect(throws: RedisFailure.expired) {
            try await live.link.send(RedisCommand("INCR", "k"), within: .milliseconds(1))
        }
        try server.start()
        for number in 2...4 as ClosedRange<Int64> { #expect(try await answered.next() == number) }
        try await live.waitForRestored()
        try await live.send("PUBLISH", "a", "x")
        #expect(try await live.message() == ("a", "x"))
    }

    @Test func `RC-16 A call under way when the server dies has an unknown outcome`() async throws {
        let server = try RedisProcess()
        let live = try LiveLink(server)
        try await live.send("PING")
        server.freeze(true)
        let answered = Inbox<Result<RedisValue, RedisFailure>>()
        live.link.send(.command(RedisCommand("INCR", "k")), within: LiveLink.limit) { answered.put($0) }
        // The link hands over calls of one thread in order, so the call before is with the connection when this one is answered.
        await #expect(throws: RedisFailure.expired) { try await live.link.send(RedisCommand("INCR", "k"), within: .zero) }
        server.kill()
        guard case .failure(let failure) = try await answered.next() else {
            Issue.record("The call was answered.")
            return
        }
        #expect(failure.isOutcomeUnknown)
    }

    @Test func `RC-34 A frozen server is noticed by the probe, and everything comes back when it goes on`() async throws {
        let server = try RedisProcess()
        let live = try LiveLink(server)
        try await live.subscribe("a")
        try await live.send("PING")
        server.freeze(true)
        _ = try await live.events.next { $0 == .interrupted(.noEcho) }
        try await live.waitForTrouble { $0 == .noEcho || $0 == .notReadyInTime }
        try await live.waitForTrouble { $0 == .notReadyInTime }
        server.freeze(false)
        try await live.waitForRestored()
        #expect(try await live.send("PUBLISH", "a", "x").number == 1)
        #expect(try await live.message() == ("a", "x"))
    }

    @Test func `RC-9 A server that loads its data is waited for`() async throws {
        let server = try RedisProcess()
        let first = try LiveLink(server)
        for number in 0..<2_000 as Range<Int64> {
            first.link.send(.command(RedisCommand("SET", .integer(number), "v")), within: LiveLink.limit) { _ in }
        }
        try await first.send("SAVE")
        first.link.close()
        server.kill()
        try server.start(["--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024"])
        let live = try LiveLink(server)
        async let size = live.send("DBSIZE")
        try await live.waitForTrouble { $0.code == "LOADING" }
        #expect(try await size.number == 2_000)
    }

    @Test func `RC-25 A server that becomes a replica is left until it is the master again`() async throws {
        let server = try RedisProcess()
        let (live, admin) = (try LiveLink(server), try await LiveLink.admin(server))
        try await live.subscribe("a")
        try await live.send("PING")
        try await admin.send("REPLICAOF", "127.0.0.1", "1")
        async let set = live.send("SET", "k", "v")
        try await live.waitForTrouble { $0 == .notMaster("slave") }
        try await admin.send("REPLICAOF", "NO", "ONE")
        #expect(try await set == .simple("OK"))
        try await live.waitForRestored()
    }
}
