import ConnectionEngine

/// The routes of this machine's network at one moment.
public struct NetworkSnapshot: Hashable, Sendable {
    /// One description for each address and each route by which packets can leave the machine. Only their equality counts.
    public var ways: Set<String>
    /// Whether there is any way out: an interface that is up and not loopback, with an address and a route.
    public var isReachable: Bool

    public init(ways: Set<String>, isReachable: Bool) {
        self.ways = ways
        self.isReachable = isReachable
    }

    /// Returns the status to report when this snapshot follows `previous`; nil when nothing relevant changed (rule NM-2).
    public func change(from previous: NetworkSnapshot) -> NetworkStatus? {
        if !isReachable { return previous.isReachable ? .unavailable : nil }
        return previous.isReachable && previous.ways == ways ? nil : .available
    }
}

/// The source of network reports: the operating system, or a test.
public protocol NetworkSource: Sendable {
    /// Begins to watch.
    ///
    /// - Parameter changed: called with the state of things after every change, from one thread at a time.
    /// - Returns: the present state, and what ends the watch; nil when the system gives no news.
    func start(_ changed: @escaping @Sendable (NetworkSnapshot) -> Void) -> (now: NetworkSnapshot, stop: @Sendable () -> Void)?
}
