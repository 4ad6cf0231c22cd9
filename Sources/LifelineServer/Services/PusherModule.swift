import PusherServer
import ServerCluster
import ServerRuntime
import ServerStorage

/// Pusher Channels.
struct PusherModule: ServiceModule {
    var name: ServiceName { .pusher }

    func open(_ opening: ServiceOpening) async throws -> any ServiceState {
        let configuration = opening.configuration
        return PusherState(
            channels: LocalChannels(
                clock: configuration.clock, userOfflineGrace: configuration.userOfflineGrace,
                maximumPendingBytes: configuration.maximumPendingBytes, bridge: opening.tap),
            forwarder: nil, leading: nil)
    }

    func join(_ joining: ServiceJoining) -> any ServiceState {
        let configuration = joining.configuration
        let leading = PusherClusterLeaderFactory(
            configuration.pusher, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace)
        joining.attach(leading, .pusher)
        let channels = ClusterChannels(
            bus: joining.bus, clock: configuration.clock, recoveries: { leading.recoveries },
            webhooks: { leading.webhookReports })
        return PusherState(channels: channels, forwarder: { channels.forward($0, $1) }, leading: leading)
    }
}

/// Channels and users that the servers share.
struct PusherState: ServiceState {
    let channels: any ChannelBackend
    /// Forwards requests of the HTTP API; nil when this process answers them.
    let forwarder: PusherService.RequestForwarder?
    /// The leader's part; nil outside of a cluster.
    let leading: PusherClusterLeaderFactory?

    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService {
        let service = PusherService(configuration.pusher, context, channels: channels, forwarder: forwarder)
        return Running(service: service, leading: leading)
    }

    struct Running: RunningService {
        let service: PusherService
        let leading: PusherClusterLeaderFactory?

        var front: any ServerFront { service }
        var publishedElsewhere: Int { service.publishedCount }

        func add(to statistics: inout ServerStatistics) {
            statistics.channels += service.channelCount
            statistics.add(service.webhookCounts)
        }

        func applicationsChanged() {
            service.applicationsChanged()
            leading?.applicationsChanged()
        }
    }
}
