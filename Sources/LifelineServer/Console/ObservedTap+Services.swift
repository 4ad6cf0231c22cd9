import ChatServer
import ServerRuntime

extension ObservedTap {
    /// A tap that knows how the feed calls the services.
    init(_ tap: (any BridgeTap)?, feed: LiveFeed) {
        self.init(tap, feed: feed) { $0 == "nexconn" ? .chat : ServiceName(rawValue: $0) }
    }
}
