import ClusterTestSupport
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import ServerCluster

/// A Redis of a test's own, for a cluster in one process.
final class ChatRedis: Sendable {
    private let process: RedisProcess
    private let link: RedisLink
    let store: LinkStore

    init() throws {
        process = try RedisProcess()
        var random = SystemRandomNumberGenerator()
        var settings = try RedisLinkSettings(
            address: RedisAddress("redis://127.0.0.1:\(process.port)"), clientName: "test", seed: random.next())
        settings.policy.probe = nil
        settings.policy.commands = 1_000_000
        link = RedisLink(settings, eventLoop: MultiThreadedEventLoopGroup.singleton.next()) { _ in }
        link.start()
        store = LinkStore(link)
    }

    deinit { link.close() }

    /// What a process is given that decides for chat.
    func context() async throws -> ClusterLeaderContext {
        let factory = ContextFactory()
        try await InProcessCluster(store: store).lead(by: [.chat: factory])
        guard let context = factory.context.withLockedValue({ $0 }) else { throw NeverHappened(description: "no context") }
        return context
    }

    private final class ContextFactory: ClusterLeaderFactory {
        let context = NIOLockedValueBox<ClusterLeaderContext?>(nil)

        func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
            self.context.withLockedValue { $0 = context }
            return IdleLeader()
        }
    }

    private final class IdleLeader: ClusterLeader {
        func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {}
        func announced(_ requests: [ByteBuffer], by node: ClusterNode) {}
        func left(_ node: ClusterNode) {}
        func close() async {}
    }
}
