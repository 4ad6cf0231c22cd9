import NIOConcurrencyHelpers
import ServerValues

/// One of several partitions of a cluster. Each partition has its own leader.
package struct ClusterPartition: Hashable, Sendable {
    /// The number of the partition, from 0 on.
    package let number: Int
    private let partitions: ClusterPartitions

    /// - Returns: nil if the cluster has only one partition, or no partition with this number.
    package init?(_ number: Int, among partitions: ClusterPartitions) {
        guard partitions.count > 1, partitions.all.contains(number) else { return nil }
        self.number = number
        self.partitions = partitions
    }

    /// Whether this partition is responsible for an application.
    ///
    /// - Parameter application: the id of a Pusher application, a subscribe key, or the key of a chat application.
    package func has(_ application: String, of service: ClusterServiceID) -> Bool {
        partitions.partition(of: application, in: service) == number
    }

    /// The ids that this partition's leader may assign to rows of a table that several partitions share. No other partition assigns any of
    /// these ids, whatever the number of partitions is now or was earlier.
    package var ids: TimetokenShare { TimetokenShare(number, of: ClusterPartitions.limit) }

    /// Returns the node that should lead this partition. All leaders usually have the same list of nodes, so they agree on the node for
    /// every partition.
    package func preferred(among nodes: [ClusterNode]) -> ClusterNode? {
        let places = PartitionPlacement.places(of: partitions, over: nodes.map(\.description))
        // in bounds: `places` has an element for each partition, which is the index of a node.
        return places.isEmpty ? nil : nodes[places[number]]
    }
}

/// Limits how often a process hands the leadership of one of its partitions over. May be used from any thread.
package final class HandOverPace: Sendable {
    private let next = NIOLockedValueBox<MonotonicInstant?>(nil)

    package init() {}

    /// Returns whether the process may hand over now. If so, the next hand-over has to wait for `pause`.
    ///
    /// - Parameter pause: the shortest time between two hand-overs.
    package func take(at now: MonotonicInstant, pause: Duration) -> Bool {
        next.withLockedValue { next in
            if let next, now < next { return false }
            next = now.advanced(by: pause)
            return true
        }
    }
}
