import Logging
import NIOConcurrencyHelpers
import RedisTestSupport
import ServerCluster
import ServerStorage
import Testing

@testable import ChatServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Numbers of a cluster's nodes for chat, and changes while a leader is made (CC-7, CC-26)")
struct ChatNodeNumbersTests {
    private let old = ClusterNode(name: "old", incarnation: 1)
    private let silent = ClusterNode(name: "silent", incarnation: 2)
    private let live = ClusterNode(name: "live", incarnation: 3)

    @Test("Nodes that an added application names and that are gone keep no number; all others do")
    func silentNodes() {
        let numbers = ChatNodeNumbers()
        #expect(numbers.number(of: old) == 0)
        let earlier = numbers.all
        #expect(numbers.number(of: silent) == 1 && numbers.announce(live) == 2)
        numbers.releaseSilent(since: earlier)
        #expect(numbers.all.compactMap(\.self) == [old, live])
        #expect(numbers.number(known: silent) == nil && numbers.number(known: live) == 2)
        numbers.release(live)
        numbers.releaseSilent(since: [])
        #expect(numbers.all.allSatisfy { $0 == nil })
    }

    /// Does something when the first value is read.
    private struct NoticedReader: ClusterReader {
        let base: any ClusterReader
        let notice: @Sendable () async throws -> Void
        private let isNoticed = NIOLockedValueBox(false)

        init(base: any ClusterReader, notice: @escaping @Sendable () async throws -> Void) {
            (self.base, self.notice) = (base, notice)
        }

        func key(_ name: String) -> StoreKey { base.key(name) }

        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
            let isFirst = isNoticed.withLockedValue { isNoticed in
                defer { isNoticed = true }
                return !isNoticed
            }
            if isFirst { try? await notice() }
            return try await base.read(question)
        }
    }

    @Test(
        "An application that is configured while a leader is being made is decided about by this leader (CC-26)",
        .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(1)))
    func changeWhileMade() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let redis = try ChatRedis()
        let context = try await redis.context()
        let factory = ChatClusterLeaderFactory(
            ChatServiceSettings(applications: [.development], chatHeartbeat: .seconds(30)), clock: .system, names: MetricNames(),
            logger: logger)
        let added = ChatApplication.with { $0.key = "another" }
        let reader = NoticedReader(base: context.store) { try await factory.take([.development, added]) }
        let leader = try await factory.makeLeader(
            ClusterLeaderContext(
                output: context.output, store: reader, generation: context.generation, eventLoop: context.eventLoop))
        #expect(factory.leading?.applications.map(\.key) == ["app-key", "another"])
        await leader.close()
    }
}
