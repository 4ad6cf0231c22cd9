import NIOConcurrencyHelpers
import PostgresTestSupport
import ServerStorage
import Testing

@testable import PostgreSQLStorage

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"), .timeLimit(.minutes(2)))
struct PostgreSQLFailoverTests {
    private struct Outcome: Sendable {
        var token: UInt64
        var error: PostgreSQLStoreError?
    }

    @Test
    func `PG-35: a replica that is promoted while messages are published has all that was acknowledged, and takes the next`()
        async throws
    {
        let primary = try PostgresProcess()
        let replica = try PostgresProcess(replicaOf: primary)
        let hosts = "127.0.0.1:\(primary.port),127.0.0.1:\(replica.port)"
        let settings = PostgreSQLSettings(
            url: "postgres://lifeline@\(hosts)/postgres?target_session_attrs=read-write", poolSize: 2)
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false)
        try await store.reserve(timetokensUpTo: 1_000_000)
        // From now on the primary acknowledges nothing that the replica does not have.
        let administrator = try connection(PostgreSQLSettings(url: primary.url))
        try administrator.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try administrator.execute("SELECT pg_reload_conf()")
        while try administrator.fetch("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").integer(0, 0) != 1 {}
        let outcomes = NIOLockedValueBox<[Outcome]>([])
        @Sendable func publish(_ tokens: ClosedRange<UInt64>) {
            for token in tokens {
                store.append(message(token), application: "app") { error in
                    outcomes.withLockedValue { $0.append(Outcome(token: token, error: error.map { PostgreSQLStoreError($0) })) }
                }
            }
        }
        publish(1...3_000)
        try await store.append(message(3_001))
        publish(3_002...6_000)
        primary.stop()
        // While nobody takes writes, each is refused and says why.
        let refused = await #expect(throws: PostgreSQLStoreError.self) { try await store.append(message(6_001)) }
        if case .unreachable? = refused {} else { Issue.record("\(String(describing: refused))") }
        #expect(store.failure != nil)
        try replica.promote()
        // The attempts to connect are 5 s apart at most.
        let clock = ContinuousClock()
        let start = clock.now
        while (try? await store.append(message(7_000))) == nil { await Task.yield() }
        #expect(start.duration(to: clock.now) < .seconds(10))
        #expect(store.failure == nil)
        publish(900_000...901_000)
        try await store.append(message(901_001))
        let stored = Set(try await store.tokens())
        let all = outcomes.withLockedValue { $0 }
        #expect(all.count == 3_000 + 2_999 + 1_001)
        #expect(all.allSatisfy { $0.error != nil || stored.contains($0.token) })
        for outcome in all {
            switch outcome.error {
            case nil, .unreachable: break
            case .some(let error): Issue.record("\(outcome.token): \(error)")
            }
        }
        #expect(all.filter { $0.token >= 900_000 }.allSatisfy { $0.error == nil })
        #expect(stored.isSuperset(of: [3_001, 7_000, 901_001]))
        #expect(try await store.restore().highestTimetoken >= 1_000_000, "A reservation is there, too")
        await store.close()
    }
}
