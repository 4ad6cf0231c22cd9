import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerCluster
import ServerRuntime
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// What leaders tell each other of the use of limits, and the limits that a node has in all partitions together.
@Suite(.timeLimit(.minutes(1))) struct PartitionUsesTests {
    /// Applies the facts about limits that a leader emits to one node.
    private final class UseOutput: ClusterOutput {
        let node: ClusterNode
        let partition: ChannelPartition

        init(_ node: ClusterNode, _ partition: ChannelPartition) {
            (self.node, self.partition) = (node, partition)
        }

        func emit(
            _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
            completion: (@Sendable (Bool) -> Void)?
        ) {
            guard let fact, audience == .all || audience == .node(node) else { return }
            if case .uses(let uses, let isWhole) = try? PusherFact(decoding: fact) { partition.note(uses, isWhole: isWhole) }
        }
    }

    private struct EmptyReader: ClusterReader {
        func key(_ name: String) -> StoreKey { StoreKey(name) }
        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer { .nothing }
    }

    @Test func `CP-79: what a node is told when it announces itself is taken back when it is over`() async throws {
        let node = ClusterNode(name: "a", incarnation: 1)
        let partitions = ChannelPartition.all(try #require(ClusterPartitions(4)))
        let configuration = sharedConfiguration()
        // In partition 3.
        let room = ChannelID(application: "1001", name: "a")
        let factory = PusherClusterLeaderFactory(
            configuration.pusher, configuration.runtime, userOfflineGrace: .seconds(1), sweepInterval: .seconds(3_600),
            partition: partitions[3])
        let made = try await factory.makeLeader(
            ClusterLeaderContext(
                output: UseOutput(node, partitions[3]), store: EmptyReader(), generation: 1,
                eventLoop: MultiThreadedEventLoopGroup.singleton.next()))
        let leader = try #require(made as? PusherClusterLeader)
        let holding = ChannelHolding(channel: room, member: nil, count: 2)
        leader.announced([PusherRequest.holdings([holding]).encoded()], by: node)
        #expect(partitions[0].usedElsewhere(of: "1001") == ChannelUse(channels: 1, subscriptions: 2))
        leader.handle(
            PusherRequest.unsubscribe(
                application: "1001", [EndedHolding(channel: "a"), EndedHolding(channel: "a")], isSilent: false
            ).encoded(), from: node
        ) { _ in }
        leader.tellUses()
        #expect(partitions[0].usedElsewhere(of: "1001") == ChannelUse())
        await leader.close()
    }

    @Test func `CP-28: subscriptions that wait for the leaders of all partitions count together`() async throws {
        // In the partitions 0, 1 and 2.
        try await withPusherCluster(1, partitions: 4, pending: PendingLimits(most: 2), isLed: false) { cluster in
            let (client, other) = (try await cluster[0].connect(), try await cluster[0].connect())
            for channel in ["room", "h"] { try await client.requestSubscription(channel) }
            let partitions = cluster.partitions
            await eventually { partitions[3].waitingElsewhere == 2 && partitions[0].waitingElsewhere == 1 }
            try await other.requestSubscription("b")
            #expect(try await other.expectFarewell() == 4100)
            await client.closeSocket()
            await eventually { partitions[3].waitingElsewhere == 0 }
        }
    }
}
