import ServerRuntime

extension ObservedTap {
    /// Makes a tap, which copies published messages to the console's live feed, and names services there by their names in the console
    /// instead of their names on the bridge.
    init(_ tap: (any BridgeTap)?, feed: LiveFeed, of services: [any ServiceModule]) {
        let names = Dictionary(services.map { ($0.bridgeName, $0.name) }) { first, _ in first }
        self.init(tap, feed: feed) { names[$0] ?? ServiceName(rawValue: $0) }
    }
}
