import ServerRuntime

extension ObservedTap {
    /// Makes a tap that names each service as the live feed does.
    init(_ tap: (any BridgeTap)?, feed: LiveFeed, of services: [any ServiceModule]) {
        let names = Dictionary(services.map { ($0.bridgeName, $0.name) }) { first, _ in first }
        self.init(tap, feed: feed) { names[$0] ?? ServiceName(rawValue: $0) }
    }
}
