#if canImport(Network)
    import NIOCore
    import NIOTransportServices
    import Network

    /// Notifies the network monitor that the path of a connection has failed, works again, or is no longer the best one (rule SO-109).
    /// On one event loop.
    final class PathNews: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let monitor: NetworkMonitor
        private var isViable = true

        init(_ monitor: NetworkMonitor = .shared) {
            self.monitor = monitor
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            switch event {
            case let update as NIOTSNetworkEvents.ViabilityUpdate where update.isViable != isViable:
                isViable = update.isViable
                monitor.connectionPathChanged()
            case is NIOTSNetworkEvents.BetterPathAvailable: monitor.connectionPathChanged()
            default: break
            }
            context.fireUserInboundEventTriggered(event)
        }
    }
#endif
