import PusherServer
import ServerCluster
import ServerRuntime
import ServerStorage

/// Pusher Channels.
struct PusherModule: ServiceModule {
    var name: ServiceName { .pusher }

    func open(_ opening: ServiceOpening) async throws -> any SharedServiceState {
        let configuration = opening.configuration
        return PusherState(
            channels: LocalChannels(
                clock: configuration.clock, userOfflineGrace: configuration.userOfflineGrace,
                maximumPendingBytes: configuration.maximumPendingBytes, bridge: opening.tap))
    }

    func join(_ joining: ServiceJoining) -> any SharedServiceState {
        let configuration = joining.configuration
        let numbers = ChannelPartition.all(ClusterPartitions(joining.partitions.count) ?? .one)
        let parts = zip(joining.partitions, numbers).map { partition, number in
            let leading = PusherClusterLeaderFactory(
                configuration.pusher, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace, partition: number)
            partition.attach(leading, .pusher)
            partition.relay.answer(for: .pusher) { leading.console }
            let channels = ClusterChannels(
                bus: partition.bus, clock: configuration.clock, partition: number, recoveries: { leading.recoveries },
                webhooks: { leading.webhookReports }, events: { leading.eventCounts })
            return (leading: leading, channels: channels)
        }
        let (channels, forwarder) = PartitionedChannels.of(parts.map(\.channels))
        return PusherState(
            channels: channels, forwarder: forwarder, leading: parts.map(\.leading), relays: joining.partitions.map(\.relay))
    }
}

/// The state of Pusher that servers share: channels and users.
struct PusherState: SharedServiceState {
    let channels: any ChannelBackend
    /// Forwards requests of the HTTP API to the leader; nil when this process answers them itself.
    var forwarder: PusherService.RequestForwarder?
    /// The leader's part of Pusher in each partition, which is active while this node leads the partition; empty outside of a cluster.
    var leading: [PusherClusterLeaderFactory] = []
    /// One relay for each partition, which forwards the console's calls to the leader of the partition; empty outside of a cluster.
    var relays: [ConsoleRelay] = []

    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService {
        let service = PusherService(configuration.pusher, context, channels: channels, forwarder: forwarder)
        return Running(service: service, leading: leading, relays: relays)
    }

    struct Running: RunningService {
        let service: PusherService
        let leading: [PusherClusterLeaderFactory]
        let relays: [ConsoleRelay]

        var front: any ServerFront { service }
        var console: (any ConsoleService)? {
            RelayedConsole.of(service, relays: relays, id: .pusher) { channel, application, partitions in
                partitions.partition(of: ChannelID(application: application, name: channel))
            }
        }
        var publishedElsewhere: Int { service.publishedCount }

        func add(to statistics: inout ServerStatistics) {
            statistics.channels += service.channelCount
            statistics.add(service.webhookCounts)
        }

        func applicationsChanged() {
            service.applicationsChanged()
            for leading in leading { leading.applicationsChanged() }
        }
    }
}
