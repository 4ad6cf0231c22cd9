import NIOCore
import NIOPosix

#if canImport(Network)
    import NIOTransportServices
#endif

/// The event loops of clients' connections. Their kind decides whether Network.framework or a socket opens a connection (rule SO-103).
public enum ClientEventLoops {
    /// The event loops for connections through `proxy`, or without a proxy if it is nil.
    ///
    /// On Apple platforms they are loops of Network.framework, except with a proxy before iOS 17 and macOS 14. On other systems they are
    /// loops of sockets.
    public static func group(proxy: HTTPProxy? = nil) -> any EventLoopGroup {
        #if canImport(Network)
            if SystemConnection.supports(proxy) { return NIOTSEventLoopGroup.singleton }
        #endif
        return MultiThreadedEventLoopGroup.singleton
    }
}
