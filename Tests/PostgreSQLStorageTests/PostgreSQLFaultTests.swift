import NIOConcurrencyHelpers
import PostgresTestSupport
import ServerStorage
import Testing

@testable import PostgreSQLStorage

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"))
struct PostgreSQLFaultTests {
    @Test(.timeLimit(.minutes(2)))
    func `PG-3: messages beyond 64 MiB that wait are refused in their turn`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "full")
        let store = try await PostgreSQLMessageStore.open(settings)
        let other = try connection(settings)
        try other.execute("BEGIN; LOCK TABLE message IN EXCLUSIVE MODE")
        let outcomes = NIOLockedValueBox<[PostgreSQLStoreError?]>([])
        for token in 1...90 as ClosedRange<UInt64> {
            var large = message(token)
            large.payload = Array(repeating: 0x31, count: 1 << 20)
            store.append(large, application: "app") { error in
                outcomes.withLockedValue { $0.append(error.map { PostgreSQLStoreError($0) }) }
            }
        }
        try other.execute("ROLLBACK")
        // Refused as well, as long as the others wait.
        while (try? await store.append(message(100))) == nil {}
        let all = outcomes.withLockedValue { $0 }
        #expect(all.count == 90 && all.first == .some(nil))
        #expect(all.contains(.overloaded) && all.allSatisfy { $0 == nil || $0 == .overloaded })
        #expect(try await store.tokens().count == all.count { $0 == nil } + 1)
        await store.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-10: connections that end while messages are published lose nothing that was acknowledged`() async throws {
        let server = try PostgresProcess()
        let settings = PostgreSQLSettings(server)
        let store = try await PostgreSQLMessageStore.open(settings)
        let operatorConnection = try connection(settings)
        let outcomes = NIOLockedValueBox<[(token: UInt64, isStored: Bool)]>([])
        for round in 0..<20 as Range<UInt64> {
            for number in 1...500 as ClosedRange<UInt64> {
                let token = round * 1000 + number
                store.append(message(token), application: "app") { error in
                    outcomes.withLockedValue { $0.append((token, error == nil)) }
                }
            }
            try endOtherConnections(operatorConnection)
        }
        // Writes succeed again, at the latest after the pauses between attempts; this one is behind all others.
        while (try? await store.append(message(100_000))) == nil { await Task.yield() }
        let all = outcomes.withLockedValue { $0 }
        #expect(all.count == 10_000)
        #expect(all.map(\.token) == all.map(\.token).sorted(), "completions come in the order of the calls")
        // A connection that was ended while it was made is not made again for a moment, and reads fail until then.
        var tokens: [UInt64]?
        while tokens == nil {
            tokens = try? await store.tokens()
            if tokens == nil { await Task.yield() }
        }
        let stored = Set(tokens ?? [])
        #expect(all.filter(\.isStored).allSatisfy { stored.contains($0.token) })
        await store.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-11: while the server is away writes and reads fail at once, and both succeed when it is back`() async throws {
        let server = try PostgresProcess()
        let store = try await PostgreSQLMessageStore.open(PostgreSQLSettings(server))
        try await store.append(message(1))
        #expect(store.failure == nil)
        server.stop()
        for token in 2...20 as ClosedRange<UInt64> {
            let error = await #expect(throws: PostgreSQLStoreError.self) { try await store.append(message(token)) }
            guard case .unreachable? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        await #expect(throws: PostgreSQLStoreError.self) { try await store.tokens() }
        #expect(store.failure != nil)
        try server.start()
        // Nothing is written meanwhile: the store connects by itself.
        while store.failure != nil { await Task.yield() }
        try await store.append(message(30))
        while (try? await store.tokens()) == nil { await Task.yield() }
        #expect(try await store.tokens() == [1, 30])
        await store.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-12: a statement that is not answered in time ends its connection`() throws {
        let server = try PostgresProcess.shared()
        var settings = PostgreSQLSettings(server)
        settings.answerTimeout = 100
        let connection = try connection(settings)
        let error = #expect(throws: PostgresError.self) { try connection.run("SELECT pg_sleep(60)") }
        #expect(error?.endsConnection == true)
        #expect(!connection.isOpen)
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-13: a read whose connection has ended is done again`() async throws {
        let server = try PostgresProcess()
        let settings = PostgreSQLSettings(server)
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false)
        try await store.append(message(1))
        let operatorConnection = try connection(settings)
        for _ in 0..<10 {
            try endOtherConnections(operatorConnection)
            #expect(try await store.tokens() == [1])
        }
        await store.close()
    }
}
