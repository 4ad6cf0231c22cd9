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
                maximumPendingBytes: configuration.maximumPendingBytes, bridge: opening.tap))
    }

    func join(_ joining: ServiceJoining) -> any ServiceState {
        let configuration = joining.configuration
        let leading = PusherClusterLeaderFactory(
            configuration.pusher, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace)
        joining.attach(leading, .pusher)
        joining.relay.answer(for: .pusher) { leading.console }
        let channels = ClusterChannels(
            bus: joining.bus, clock: configuration.clock, recoveries: { leading.recoveries },
            webhooks: { leading.webhookReports })
        return PusherState(channels: channels, forwarder: { channels.forward($0, $1) }, leading: leading, relay: joining.relay)
    }
}

/// Channels and users that the servers share.
struct PusherState: ServiceState {
    let channels: any ChannelBackend
    /// Forwards requests of the HTTP API; nil when this process answers them.
    var forwarder: PusherService.RequestForwarder?
    /// The leader's part; nil outside of a cluster.
    var leading: PusherClusterLeaderFactory?
    /// The way of the console to the leader; nil outside of a cluster.
    var relay: ConsoleRelay?

    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService {
        let service = PusherService(configuration.pusher, context, channels: channels, forwarder: forwarder)
        return Running(service: service, leading: leading, relay: relay)
    }

    struct Running: RunningService {
        let service: PusherService
        let leading: PusherClusterLeaderFactory?
        let relay: ConsoleRelay?

        var front: any ServerFront { service }
        var console: (any ConsoleService)? { relay.map { RelayedConsole(local: service, relay: $0) } ?? service }
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
