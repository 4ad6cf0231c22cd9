import ServerValues

/// The partitions of a cluster. Each partition has its own keys, log, election and leader, and decides about some of the applications and
/// about some of the channels of Pusher applications (CR-50 and CR-80).
package struct ClusterPartitions: Hashable, Sendable {
    /// The number of partitions, from 1 to ``limit``.
    package let count: Int

    package static let limit = 16
    /// The value for a cluster with only one partition, to which all applications belong.
    package static let one = ClusterPartitions(unchecked: 1)

    /// - Parameter count: the number of partitions, from 1 to ``limit``. The result is nil for other numbers.
    package init?(_ count: Int) {
        guard (1...Self.limit).contains(count) else { return nil }
        self.count = count
    }

    private init(unchecked count: Int) { self.count = count }

    /// The numbers of all partitions, from 0 on.
    package var all: Range<Int> { 0..<count }

    /// Returns the partition of an application. Every server and every version computes the same result.
    ///
    /// - Parameter application: the id of a Pusher application, a subscribe key, or the key of a chat application.
    package func partition(of application: String, in service: ClusterServiceID) -> Int {
        guard count > 1 else { return 0 }
        return Int(StableHash.of("\(service.rawValue)", application) % UInt64(count))
    }

    /// Returns the partition of a part of an application, such as a channel, for services that distribute an application over several
    /// leaders. Every server and every version computes the same result (CR-80).
    ///
    /// - Parameter part: the name of the part, which is unique within its application.
    package func partition(of part: String, in application: String, of service: ClusterServiceID) -> Int {
        guard count > 1 else { return 0 }
        return Int(StableHash.of("\(service.rawValue)", application, part) % UInt64(count))
    }
}
