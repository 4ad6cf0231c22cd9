import NIOConcurrencyHelpers
import ServerValues

/// One of several partitions of a cluster.
package struct ClusterPartition: Hashable, Sendable {
    /// The number, from 0 on.
    package let number: Int
    private let partitions: ClusterPartitions

    /// - Returns: nil if there is only one partition, or none with this number.
    package init?(_ number: Int, among partitions: ClusterPartitions) {
        guard partitions.count > 1, partitions.all.contains(number) else { return nil }
        self.number = number
        self.partitions = partitions
    }

    /// Whether the partition has an application.
    ///
    /// - Parameter application: the id of a Pusher application, a subscribe key, or the key of a chat application.
    package func has(_ application: String, of service: ClusterServiceID) -> Bool {
        partitions.partition(of: application, in: service) == number
    }

    /// The ids that the partition's leader may assign where rows of several partitions are in one table with the id as its key. They are
    /// no other partition's ids, whatever the number of partitions is or was.
    package var ids: TimetokenShare { TimetokenShare(number, of: ClusterPartitions.limit) }

    /// The node that should lead the partition. All leaders know the same nodes as a rule, and so agree how all partitions are spread.
    package func preferred(among nodes: [ClusterNode]) -> ClusterNode? {
        let places = PartitionPlacement.places(of: partitions, over: nodes.map(\.description))
        // in bounds: there is a place for each partition, and it is the index of a node.
        return places.isEmpty ? nil : nodes[places[number]]
    }
}

/// Limits how often a process hands over one of its partitions. May be used from any thread.
package final class HandOverPace: Sendable {
    private let next = NIOLockedValueBox<MonotonicInstant?>(nil)

    package init() {}

    /// - Parameter pause: the time between two hand-overs.
    /// - Returns: whether the process may hand over now; then the next one has to wait.
    package func take(at now: MonotonicInstant, pause: Duration) -> Bool {
        next.withLockedValue { next in
            if let next, now < next { return false }
            next = now.advanced(by: pause)
            return true
        }
    }
}
