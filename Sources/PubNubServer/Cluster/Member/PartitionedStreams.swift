import NIOConcurrencyHelpers
import ServerCluster
import ServerRuntime
import ServerStorage

/// The keysets of a cluster with several partitions: each keyset is served by the replica of its own partition (rule CR-50).
///
/// Every partition lists all keysets in the same order, so a keyset has the same number in each partition. Event loops find polls by this
/// number.
package final class PartitionedStreams: StreamBackend {
    private let partitions: ClusterPartitions
    private let members: [ClusterStreams]
    /// The keysets of all partitions. The list is cached, because requests that name no keyset read it often, and because only a reload
    /// changes it.
    private let list: NIOLockedValueBox<[PubNubApplication]>

    /// - Parameter members: the keysets of each partition. The result is nil when a cluster cannot have this number of partitions.
    package init?(_ members: [ClusterStreams]) {
        guard let partitions = ClusterPartitions(members.count) else { return nil }
        self.partitions = partitions
        self.members = members
        list = NIOLockedValueBox(Self.list(of: members, partitions))
    }

    /// The backend for one or more partitions: the only member itself, or a `PartitionedStreams` of several.
    ///
    /// - Parameter members: at least one.
    package static func of(_ members: [ClusterStreams]) -> any StreamBackend {
        guard members.count > 1, let router = PartitionedStreams(members) else { return members[0] }
        return router
    }

    private func partition(of subscribeKey: String) -> Int { partitions.partition(of: subscribeKey, in: .pubnub) }

    func member(of application: PubNubApplication) -> ClusterStreams { members[partition(of: application.subscribeKey)] }

    // MARK: Nodes

    package func join(_ node: any StreamNode) {
        for member in members { member.join(node) }
    }

    package func leave(_ node: any StreamNode) {
        for member in members { member.leave(node) }
    }

    package func sweep(for node: any StreamNode, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        for member in members { member.sweep(for: node, later: later) }
    }

    // MARK: Keysets

    /// The storage of the first partition, used for the time only; each keyset gets its timetokens from its own partition.
    package var storage: StreamStorage { members[0].storage }

    package var applications: [PubNubApplication] { list.withLockedValue { $0 } }

    /// The keysets that all partitions have. Every partition appends new keysets in the order of the configuration, so the partition with
    /// the fewest keysets has exactly these.
    private static func list(of members: [ClusterStreams], _ partitions: ClusterPartitions) -> [PubNubApplication] {
        let all = members.map(\.applications)
        return (0..<(all.map(\.count).min() ?? 0)).map { number in
            // in bounds: every list has more than `number` elements, and each partition has a list.
            all[partitions.partition(of: all[0][number].subscribeKey, in: .pubnub)][number]
        }
    }

    package func application(subscribeKey: String) -> PubNubApplication? {
        members[partition(of: subscribeKey)].application(subscribeKey: subscribeKey)
    }

    package func prepare(_ keysets: [Keyset]) async throws -> PubNubReload {
        var reload = PubNubReload(keysets: keysets, new: [])
        for member in members { reload.partitions.append(try await member.prepare(keysets)) }
        return reload
    }

    package func take(_ reload: PubNubReload) {
        for (member, reload) in zip(members, reload.partitions) { member.take(reload) }
        let applications = Self.list(of: members, partitions)
        list.withLockedValue { $0 = applications }
    }

    package func pushCounts(for node: any StreamNode) -> [(application: PubNubApplication, counts: WebhookDelivery.Counts)] {
        members.enumerated().flatMap { index, member in
            member.pushCounts(for: node).filter { partition(of: $0.application.subscribeKey) == index }
        }
    }
}
