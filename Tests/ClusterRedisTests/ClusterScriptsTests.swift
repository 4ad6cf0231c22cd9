import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import ServerCluster
import Testing

@testable import RedisStoreEngine

/// Every answer of both scripts, by a real Redis.
@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(3)))
struct ClusterScriptsTests {
    private let redis: RedisProcess
    private let link: RedisLink
    private let keys: ClusterKeys
    private let a = ClusterNode(name: "a", incarnation: 1)
    private let b = ClusterNode(name: "b", incarnation: 2)

    init() throws {
        keys = try #require(ClusterKeys(cluster: "scripts"))
        redis = try RedisProcess()
        let settings = try RedisLinkSettings(
            address: RedisAddress("redis://127.0.0.1:\(redis.port)"), clientName: "scripts", seed: 1)
        link = RedisLink(settings, eventLoop: MultiThreadedEventLoopGroup.singleton.next()) { _ in }
        link.start()
    }

    private func send(_ name: String, _ arguments: RedisArgument...) async throws -> RedisValue {
        try await link.send(RedisCommand(name, arguments), within: .seconds(60))
    }

    private func elect(
        _ mode: ElectionMode, _ node: ClusterNode, _ generation: UInt64? = nil, lease: Duration = .seconds(600), seen: UInt64 = 0,
        successor: ClusterNode? = nil, headStart: Duration = .seconds(600)
    ) async throws -> ElectionOutcome {
        var candidacy = Candidacy(mode, node, generation: generation, lease: lease, seen: seen)
        (candidacy.successor, candidacy.headStart) = (successor, headStart)
        return ElectionOutcome(try await link.send(keys.election(candidacy), within: .seconds(60)))
    }

    /// Has a node elected that nobody keeps from it, and returns its generation.
    private func elected(_ node: ClusterNode, lease: Duration = .seconds(600)) async throws -> UInt64 {
        guard case .elected(let generation, _, _) = try await elect(.ask, node, lease: lease) else {
            Issue.record("\(node) was not elected")
            return 0
        }
        return generation
    }

    private func commit(
        _ generation: UInt64, _ sequence: UInt64, _ writes: [StoreWrite] = [], trim: ClusterPosition? = nil, bytes: Int = 0
    ) async -> (outcome: CommitOutcome, failures: Int64?) {
        let fact = ClusterItem.fact(.pusher, .all, ByteBuffer(repeating: 120, count: bytes))
        let batch = ClusterBatch(
            position: ClusterPosition(generation: generation, sequence: sequence), previous: .origin, leader: a,
            items: bytes > 0 ? [fact] : [.opened])
        let call = keys.commit(ClusterCommit(batch: batch, writes: writes, trim: trim), namesKeys: true)
        do throws(RedisFailure) {
            let value = try await link.send(call, within: .seconds(60))
            return (CommitOutcome(.success(value)), value.elements?.last?.number)
        } catch {
            return (CommitOutcome(.failure(error)), nil)
        }
    }

    // MARK: lead.lua

    @Test("CR-10 Whoever asks first leads, others follow, and its lease is renewed by it alone")
    func election() async throws {
        #expect(try await elect(.renew, a, 7) == .vacant)
        let generation = try await elected(a)
        guard case .following(let record) = try await elect(.ask, b) else {
            Issue.record("there are two leaders")
            return
        }
        #expect(record.leader == a)
        #expect(record.position == ClusterPosition(generation: generation, sequence: 0))
        #expect(record.last == .origin)
        #expect(try await elect(.renew, a, generation) == .leading)
        #expect(try await elect(.renew, b, generation) == .following(record))
        #expect(try await elect(.renew, a, generation - 1) == .following(record))
    }

    @Test("CR-10 A lease that has ended is taken over by who asks, not by who only looks")
    func endedLease() async throws {
        let generation = try await elected(a, lease: .milliseconds(1))
        #expect(await commit(generation, 1).outcome == .kept)
        while try await send("TIME").elements?.first?.number ?? 0 <= Int64(generation / 1000) { await Task.yield() }
        guard case .following = try await elect(.look, b) else {
            Issue.record("whoever looks leads")
            return
        }
        guard case .elected(let next, let previous, let former) = try await elect(.ask, b) else {
            Issue.record("nobody leads")
            return
        }
        #expect(next > generation)
        #expect(previous == ClusterPosition(generation: generation, sequence: 1))
        #expect(former?.node == a)
        // It ends without a batch and is passed over.
        guard case .elected(_, let again, _) = try await elect(.take, a, next) else {
            Issue.record("nobody leads")
            return
        }
        #expect(again == previous)
    }

    @Test("CR-56 While a leader that has resigned leaves the election to another process, only that one is elected")
    func successor() async throws {
        let generation = try await elected(a)
        #expect(await commit(generation, 1).outcome == .kept)
        #expect(try await elect(.resign, a, generation, successor: b) == .vacant)
        #expect(try await elect(.ask, a) == .vacant)
        #expect(try await elect(.take, a, generation) == .vacant)
        guard case .elected(let next, let previous, nil) = try await elect(.look, b) else {
            Issue.record("the successor was not elected")
            return
        }
        #expect(next > generation && previous == ClusterPosition(generation: generation, sequence: 1))
        // Nothing is left over for the next election.
        #expect(try await elect(.resign, b, next) == .vacant)
        guard case .elected(let third, _, nil) = try await elect(.ask, a) else {
            Issue.record("nobody was elected")
            return
        }
        // The time of a successor that does not come ends, also where it is longer than any lease, as after a clock was set back.
        #expect(try await elect(.resign, a, third, successor: b, headStart: .milliseconds(1)) == .vacant)
        while try await elect(.ask, a) == .vacant { await Task.yield() }
        guard case .following(let record) = try await elect(.ask, b) else {
            Issue.record("there are two leaders")
            return
        }
        #expect(try await elect(.resign, a, record.position.generation, successor: b, headStart: .seconds(3_600)) == .vacant)
        guard case .elected = try await elect(.ask, a) else {
            Issue.record("a successor is waited for longer than a lease")
            return
        }
    }

    @Test("CR-10 A leader that nobody hears is taken over if it is still the one that was meant")
    func takeOver() async throws {
        let generation = try await elected(a)
        guard case .following = try await elect(.take, b, generation - 1) else {
            Issue.record("another leader was taken over")
            return
        }
        guard case .elected(let next, _, let former) = try await elect(.take, b, generation) else {
            Issue.record("nobody leads")
            return
        }
        #expect(next > generation)
        #expect(former?.node == a)
        #expect(former.map { $0.silence < .seconds(600) } == true)
        guard case .following = try await elect(.renew, a, generation) else {
            Issue.record("there are two leaders")
            return
        }
    }

    @Test("CR-15 A leader that resigns says so, and is followed by whoever looks; nobody else can resign for it")
    func resignation() async throws {
        let generation = try await elected(a)
        #expect(try await elect(.resign, b, generation) == .vacant)
        #expect(try await elect(.renew, a, generation) == .leading)
        #expect(try await elect(.resign, a, generation) == .vacant)
        guard case .elected(_, _, nil) = try await elect(.look, b) else {
            Issue.record("nobody leads")
            return
        }
    }

    @Test("CR-11 Generations grow beyond all that were seen, and hold all their digits")
    func generations() async throws {
        let seen: UInt64 = 9_007_199_254_740_000
        guard case .elected(let generation, _, _) = try await elect(.ask, a, seen: seen) else {
            Issue.record("nobody leads")
            return
        }
        #expect(generation == seen + 1)
        guard case .elected(let next, _, _) = try await elect(.take, b, generation) else {
            Issue.record("nobody leads")
            return
        }
        #expect(next == seen + 2)
    }

    // MARK: commit.lua

    @Test("CR-2 A batch is kept, logged and counted once, however often it comes")
    func kept() async throws {
        let generation = try await elected(a)
        let writes: [StoreWrite] = [.set(keys.storeKey("x"), "1"), .put(keys.storeKey("h"), "f", value: "v")]
        for _ in 0..<3 { #expect(await commit(generation, 1, writes) == (.kept, 0)) }
        #expect(try await send("GET", keys.key("x")).text == "1")
        let entries = try await send("XRANGE", keys.log, "-", "+").elements ?? []
        #expect(entries.compactMap { $0.elements?.first?.text } == ["\(generation)-1"])
        // One that comes late changes nothing.
        #expect(await commit(generation, 2).outcome == .kept)
        #expect(await commit(generation, 1, [.set(keys.storeKey("x"), "2")]) == (.kept, 0))
        #expect(try await send("GET", keys.key("x")).text == "1")
    }

    @Test("CR-2, CR-3 A batch of a former leader, or behind a hole, changes nothing")
    func refused() async throws {
        let write: [StoreWrite] = [.set(keys.storeKey("x"), "1")]
        #expect(await commit(5, 1, write).outcome == .fenced)
        let generation = try await elected(a)
        #expect(await commit(generation - 1, 1, write).outcome == .fenced)
        #expect(await commit(generation, 3, write).outcome == .behind(0))
        #expect(await commit(generation, 1).outcome == .kept)
        #expect(await commit(generation, 3, write).outcome == .behind(1))
        #expect(try await send("EXISTS", keys.key("x")).number == 0)
        #expect(try await send("XLEN", keys.log).number == 1)
    }

    @Test("CR-2 A command that fails for what is stored is counted, and the others are carried out")
    func failure() async throws {
        let generation = try await elected(a)
        _ = try await send("SET", keys.key("text"), "1")
        let writes: [StoreWrite] = [
            .put(keys.storeKey("text"), "f", value: "v"), .set(keys.storeKey("x"), "1"),
        ]
        #expect(await commit(generation, 1, writes) == (.kept, 1))
        #expect(try await send("GET", keys.key("x")).text == "1")
    }

    @Test("CR-4 The log loses what the leader says that nobody needs")
    func trimming() async throws {
        let generation = try await elected(a)
        for sequence in 1...300 as ClosedRange<UInt64> { #expect(await commit(generation, sequence).outcome == .kept) }
        let first = ClusterPosition(generation: generation, sequence: 290)
        #expect(await commit(generation, 301, trim: first).outcome == .kept)
        // Whole nodes of the stream go, of a hundred entries each.
        let length = try await send("XLEN", keys.log).number ?? 0
        #expect(length < 301 && length >= 12)
    }

    @Test("CR-18 A Redis that is full or has too few replicas refuses before anything is written; what it began it ends")
    func fullRedis() async throws {
        let generation = try await elected(a)
        #expect(await commit(generation, 1).outcome == .kept)
        let text = ByteBuffer(string: String(repeating: "x", count: 100_000))
        let writes = (0..<50).map { StoreWrite.set(keys.storeKey("big\($0)"), .bytes(text)) }
        let used = try await send("INFO", "memory").text?.split(separator: "\r\n").first { $0.hasPrefix("used_memory:") }
        let bytes = Int64(used?.dropFirst("used_memory:".count) ?? "") ?? 0
        _ = try await send("CONFIG", "SET", "maxmemory", .integer(bytes + 2_000_000))
        // There is room when it begins, and none when it ends.
        _ = try await send("PING")
        let outcome = await commit(generation, 2, writes).outcome
        let count = try await send("EXISTS", keys.key("big0"), keys.key("big25"), keys.key("big49")).number
        #expect((outcome == .kept && count == 3) || (outcome == .refused && count == 0))
        _ = try await send("CONFIG", "SET", "maxmemory", "1")
        #expect(await commit(generation, 3, [.set(keys.storeKey("x"), "1")]).outcome == .refused)
        _ = try await send("CONFIG", "SET", "maxmemory", "0")
        _ = try await send("CONFIG", "SET", "min-replicas-to-write", "1")
        #expect(await commit(generation, 3, [.set(keys.storeKey("x"), "1")]).outcome == .refused)
        _ = try await send("CONFIG", "SET", "min-replicas-to-write", "0")
        #expect(try await send("EXISTS", keys.key("x")).number == 0)
        #expect(try await send("HGET", keys.leader, "sequence").number == (outcome == .kept ? 2 : 1))
    }

    // MARK: read.lua

    @Test("CR-5 A long log is read in parts of 8 MiB, and a batch that is longer comes alone; nothing is left out")
    func longLog() async throws {
        let generation = try await elected(a)
        let sizes = [3_000_000, 3_000_000, 3_000_000, 9_000_000, 1_000, 1_000]
        for (index, bytes) in sizes.enumerated() {
            var outcome = await commit(generation, UInt64(index + 1), bytes: bytes).outcome
            // The answer to so long a command may come too late on a machine that is busy. It may be sent again.
            while outcome == .unknown { outcome = await commit(generation, UInt64(index + 1), bytes: bytes).outcome }
            #expect(outcome == .kept)
        }
        var (position, parts, isAll): (ClusterPosition, [[UInt64]], Bool) = (.origin, [], false)
        while !isAll, parts.count < 10 {
            let value = try await link.send(keys.readLog(after: position), within: .seconds(60))
            let page = ClusterBatch.list(value)
            isAll = page.isAll
            parts.append(page.batches.map(\.position.sequence))
            position = page.batches.last?.position ?? position
        }
        #expect(parts == [[1, 2], [3], [4], [5, 6]])
    }
}
