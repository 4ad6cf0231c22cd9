#if canImport(Network)
    import NIOCore
    import NIOTransportServices
    import Network

    /// A channel handler that notifies the network monitor when the network path of a connection fails, works again, or is no longer the
    /// best one (rule SO-109). Used on one event loop.
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
