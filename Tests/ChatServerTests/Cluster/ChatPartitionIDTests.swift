import ChatProtocol
import ClusterTestSupport
import Identifiers
import Logging
import ServerCluster
import ServerStorage
import Testing

@testable import ChatServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Ids of chat events in a cluster with several partitions", .timeLimit(.minutes(1)))
struct ChatPartitionIDTests {
    /// A leader of one partition of four, with the application of that partition.
    private struct Led {
        /// Applications of the partitions 0 to 3.
        static let keys = ["app-key", "demo", "app-1", "1001"]

        let number: Int
        let factory: ChatClusterLeaderFactory
        let leader: any ClusterLeader

        init(
            _ number: Int, generation: UInt64 = 1, over store: MemoryStore = MemoryStore(), _ database: ModelChatDatabase?,
            _ clock: ManualClock
        ) async throws {
            self.number = number
            let partitions = try #require(ClusterPartitions(4))
            factory = ChatClusterLeaderFactory(
                ChatServiceSettings(
                    applications: Self.keys.map { key in ChatApplication.with { $0.key = key } }, chatHeartbeat: .seconds(30)),
                clock: clock.clock,
                names: MetricNames(), logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
                lasting: database)
            let context = try await ChatRedis.context(of: store)
            leader = try await factory.makeLeader(
                ClusterLeaderContext(
                    output: context.output, store: context.store, generation: generation, eventLoop: context.eventLoop,
                    partition: ClusterPartition(number, among: partitions)))
        }

        /// Sends a message in the partition's application; throws why it was refused.
        func send() async throws -> UInt64 {
            let application = try #require(factory.leading?.application(key: Identifier(Self.keys[number])))
            let draft = ChatMessageDraft(clientID: "", conversation: .direct, to: "bob", type: "t", content: Array("{}".utf8))
            let result = await withCheckedContinuation { continuation in
                application.perform(.send(draft), by: .server(user: "ann")) { continuation.resume(returning: $0) }
            }
            guard case .sent(let id, _) = try result.get() else { throw NeverHappened(description: "not sent") }
            return id.rawValue
        }
    }

    private let clock = ManualClock()

    @Test(
        "CC-42: Leaders that decide at the same instant assign different ids, with a database and without",
        arguments: [true, false])
    func instant(_ hasDatabase: Bool) async throws {
        let database = hasDatabase ? ModelChatDatabase() : nil
        var leaders: [Led] = []
        for number in 0..<4 { leaders.append(try await Led(number, database, clock)) }
        var ids: [UInt64] = []
        for round in 0..<6 {
            if round == 3 { clock.advance(by: 1) }
            if round == 5 { clock.setBack(by: 60) }
            for led in leaders { ids.append(try await led.send()) }
        }
        #expect(Set(ids).count == 24)
        for led in leaders {
            let own = stride(from: led.number, to: ids.count, by: leaders.count).map { ids[$0] }
            #expect(own == own.sorted() && own.allSatisfy { $0 % 16 == UInt64(led.number) })
            await led.leader.close()
        }
    }

    @Test("CC-42: The next leader of a partition begins after all ids of the database, also with a clock that is behind")
    func successor() async throws {
        let database = ModelChatDatabase()
        let store = MemoryStore()
        let former = try await Led(1, over: store, database, clock)
        let other = try await Led(3, database, clock)
        let ids = [try await former.send(), try await other.send(), try await other.send()]
        await former.leader.close()
        clock.setBack(by: 60)
        let next = try await Led(1, generation: 2, over: store, database, clock)
        let id = try await next.send()
        #expect(ids.allSatisfy { id > $0 } && id % 16 == 1)
        for led in [next, other] { await led.leader.close() }
    }
}
