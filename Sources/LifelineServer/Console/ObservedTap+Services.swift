import ServerRuntime

extension ObservedTap {
    /// Makes a tap with the feed's names of the services.
    init(_ tap: (any BridgeTap)?, feed: LiveFeed, of services: [any ServiceModule]) {
        let names = Dictionary(services.map { ($0.bridgeName, $0.name) }) { first, _ in first }
        self.init(tap, feed: feed) { names[$0] ?? ServiceName(rawValue: $0) }
    }
}
