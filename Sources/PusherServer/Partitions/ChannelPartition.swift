import Identifiers
import NIOConcurrencyHelpers
import PusherProtocol
import ServerCluster

extension ClusterPartitions {
    /// The partition that decides about a Pusher channel (rule CR-80). Reserved channels, such as the channels of single users, belong to
    /// the home partition of their application, which decides about the users.
    package func partition(of channel: ChannelID) -> Int {
        if PusherChannelName.isReserved(channel.name) { return home(of: channel.application) }
        return partition(of: channel.name, in: channel.application, of: .pusher)
    }

    /// The home partition of a Pusher application. It decides about connections, users, and requests that count against the application's
    /// limits.
    func home(of application: String) -> Int { partition(of: application, in: .pusher) }
}

/// One partition of a cluster, as used by Pusher: which channels and applications belong to it, and how much of an application's limits the
/// other partitions use.
package struct ChannelPartition: Sendable {
    let number: Int
    let partitions: ClusterPartitions
    /// The numbers of channels and subscriptions that applications have in each partition; nil if there is only one partition.
    private let uses: PartitionUses?

    /// The partition of a server without a cluster, and that of a cluster with one partition.
    package static let only = ChannelPartition(number: 0, partitions: .one, uses: nil)

    /// All partitions of a cluster, for the process of one node. All of them share one object `uses` with the counts.
    package static func all(_ partitions: ClusterPartitions) -> [ChannelPartition] {
        guard partitions.count > 1 else { return [only] }
        let uses = PartitionUses()
        return partitions.all.map { ChannelPartition(number: $0, partitions: partitions, uses: uses) }
    }

    /// Whether there are several partitions.
    var isOneOfSeveral: Bool { partitions.count > 1 }

    /// The number of partitions, by which memory limits of an application are divided.
    var shares: Int { partitions.count }

    func owns(_ channel: ChannelID) -> Bool { partitions.partition(of: channel) == number }
    func isHome(of application: String) -> Bool { partitions.home(of: application) == number }

    /// The numbers of channels and subscriptions that an application has in the other partitions, as reported by their leaders.
    func usedElsewhere(of application: String) -> ChannelUse {
        uses?.total(of: application, without: number) ?? ChannelUse()
    }

    /// The number of subscriptions of this node that wait for the leaders of the other partitions.
    var waitingElsewhere: Int { uses?.waiting(without: number) ?? 0 }

    /// Records how many subscriptions of this node wait for the leader of this partition.
    func note(waiting: Int) { uses?.note(waiting: waiting, of: number) }

    /// Records the numbers of channels and subscriptions in this partition, as reported by its leader.
    ///
    /// - Parameter isWhole: true if applications that are not in the list have no channels and subscriptions.
    func note(_ list: [ApplicationUse], isWhole: Bool) {
        uses?.note(list, of: number, isWhole: isWhole)
    }
}

/// A number of channels, and a number of subscriptions to channels.
struct ChannelUse: Hashable, Sendable {
    var channels = 0
    var subscriptions = 0

    static func += (left: inout ChannelUse, right: ChannelUse) {
        left.channels = left.channels.clampedAdding(right.channels)
        left.subscriptions = left.subscriptions.clampedAdding(right.subscriptions)
    }
}

/// How many channels and subscriptions of an application a partition has.
struct ApplicationUse: Hashable, Sendable {
    var application: String
    var use: ChannelUse
}

/// The channels and subscriptions of each application in each partition, and how many subscriptions of this node wait for each leader.
/// May be used from any thread.
private final class PartitionUses: Sendable {
    /// For each application, the channels and subscriptions in each partition, by the partition's number.
    private let uses = NIOLockedValueBox<[Identifier: [Int: ChannelUse]]>([:])

    /// For each partition, the number of subscriptions that wait for its leader.
    private let waiting = NIOLockedValueBox<[Int: Int]>([:])

    func waiting(without number: Int) -> Int {
        waiting.withLockedValue { $0.reduce(0) { $1.key == number ? $0 : $0 + $1.value } }
    }

    func note(waiting count: Int, of number: Int) {
        waiting.withLockedValue { $0[number] = count == 0 ? nil : count }
    }

    func total(of application: String, without number: Int) -> ChannelUse {
        uses.withLockedValue { uses in
            (uses[Identifier(application)] ?? [:]).reduce(into: ChannelUse()) { total, entry in
                if entry.key != number { total += entry.value }
            }
        }
    }

    func note(_ list: [ApplicationUse], of number: Int, isWhole: Bool) {
        uses.withLockedValue { uses in
            if isWhole { for id in Array(uses.keys) { Self.set(ChannelUse(), of: number, for: id, in: &uses) } }
            for entry in list { Self.set(entry.use, of: number, for: Identifier(entry.application), in: &uses) }
        }
    }

    private static func set(
        _ use: ChannelUse, of number: Int, for id: Identifier, in uses: inout [Identifier: [Int: ChannelUse]]
    ) {
        uses[id, default: [:]][number] = use == ChannelUse() ? nil : use
        if uses[id]?.isEmpty == true { uses[id] = nil }
    }
}
