import NIOCore
import NIOPosix

#if canImport(Network)
    import NIOTransportServices
#endif

/// The event loops of clients' connections. The kind of loop decides what opens a connection (rule SO-103).
public enum ClientEventLoops {
    /// The loops of the process for connections through `proxy`, or for those without one.
    ///
    /// On Apple platforms they are loops of Network.framework, except with a proxy before iOS 17 and macOS 14; on other systems they
    /// are loops of sockets.
    public static func group(proxy: HTTPProxy? = nil) -> any EventLoopGroup {
        #if canImport(Network)
            if SystemConnection.supports(proxy) { return NIOTSEventLoopGroup.singleton }
        #endif
        return MultiThreadedEventLoopGroup.singleton
    }
}
