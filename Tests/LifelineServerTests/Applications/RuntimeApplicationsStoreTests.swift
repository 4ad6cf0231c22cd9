import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

/// A store that other servers write to as well, between the calls of the one under test.
private final class SharedStore: ApplicationStore {
    struct Gone: Error {}

    private struct State {
        var stored = StoredApplications()
        var isGone = false
        /// Changes of other servers, each before one write of this one.
        var intrusions: [(name: Identifier, entry: [UInt8])] = []
    }

    private let state = NIOLockedValueBox(State())

    var isShared: Bool { true }
    var names: [Identifier] { state.withLockedValue { $0.stored.entries.keys.sorted() } }

    func intrude(_ application: RuntimeApplication) throws {
        let entry = try ApplicationSeal().entry(TestApplications.reader.document(application), of: application.id)
        state.withLockedValue { $0.intrusions.append((Identifier(application.id.description), entry)) }
    }

    func setGone(_ isGone: Bool) { state.withLockedValue { $0.isGone = isGone } }

    func load() async throws -> StoredApplications { try look().stored }
    func version() async throws -> Int64 { try look().stored.version }

    func write(_ entry: [UInt8]?, name: Identifier, after version: Int64) async throws -> Int64? {
        _ = try look()
        return state.withLockedValue { state in
            if !state.intrusions.isEmpty {
                let intrusion = state.intrusions.removeFirst()
                state.stored.entries[intrusion.name] = intrusion.entry
                state.stored.version += 1
            }
            guard state.stored.version == version else { return nil }
            state.stored.entries[name] = entry
            state.stored.version += 1
            return state.stored.version
        }
    }

    func watch(_ changed: @escaping @Sendable () -> Void) {}
    func close() async {}

    private func look() throws -> State {
        try state.withLockedValue { state in
            if state.isGone { throw Gone() }
            return state
        }
    }
}

@Suite("Applications of a store that several servers share", .timeLimit(.minutes(1)))
struct RuntimeApplicationsStoreTests {
    private let store = SharedStore()
    private let clock = ManualClock()
    private let log = LogLines()

    private func applications() -> RuntimeApplications {
        let configuration = ServerConfiguration(port: 0, clock: clock.clock, logger: log.logger())
        return RuntimeApplications(RuntimeApplicationSettings(reader: TestApplications.reader), configuration, store: store)
    }

    @Test func `AR-13: a change that another server made in between is read, and both are kept`() async throws {
        let applications = applications()
        try store.intrude(TestApplications.chat("other"))
        _ = try await applications.perform(.create(TestApplications.chat("own")))
        #expect(store.names == ["chat/other", "chat/own"])
        #expect(applications.table.sorted.map(\.id.description) == ["chat/other", "chat/own"])
    }

    @Test func `AR-13: a change that others overtake again and again is refused and not made`() async throws {
        let applications = applications()
        for number in 0..<20 { try store.intrude(TestApplications.chat("other-\(number)")) }
        await #expect(throws: ApplicationProblem.busy) {
            try await applications.perform(.create(TestApplications.chat("own")))
        }
        #expect(!store.names.contains("chat/own"))
    }

    @Test func `AR-13: what is read for a change that is refused is applied afterwards`() async throws {
        let applications = applications()
        let applied = NIOLockedValueBox(0)
        applications.attach { applied.withLockedValue { $0 += 1 } }
        try store.intrude(TestApplications.chat("c"))
        await #expect(throws: ApplicationProblem.taken(field: "key", byFile: false)) {
            try await applications.perform(.create(TestApplications.chat("c")))
        }
        #expect(applied.withLockedValue { $0 } == 0)
        applications.tick()
        await eventually { applied.withLockedValue { $0 } == 1 }
    }

    @Test func `AR-5: a store that is gone takes nothing away, and is read again when it is back`() async throws {
        let applications = applications()
        _ = try await applications.perform(.create(TestApplications.chat("c")))
        store.setGone(true)
        await #expect(throws: ApplicationProblem.self) {
            try await applications.perform(.remove(ApplicationID(.chat, "c")))
        }
        for _ in 0..<2 {
            clock.advance(by: 6)
            applications.tick()
            await log.wait(for: "the store of applications cannot be read")
        }
        #expect(applications.trouble != nil && applications.table.sorted.count == 1)
        store.setGone(false)
        clock.advance(by: 6)
        await eventually {
            applications.tick()
            return applications.trouble == nil
        }
        #expect(log.count(of: "the store of applications cannot be read") == 1)
        #expect(log.count(of: "the store of applications can be read again") == 1)
    }
}
