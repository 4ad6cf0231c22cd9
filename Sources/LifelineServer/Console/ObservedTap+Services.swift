import ChatServer
import ServerRuntime

extension ObservedTap {
    /// Makes a tap with the feed's names of the services.
    init(_ tap: (any BridgeTap)?, feed: LiveFeed) {
        self.init(tap, feed: feed) { $0 == "nexconn" ? .chat : ServiceName(rawValue: $0) }
    }
}
