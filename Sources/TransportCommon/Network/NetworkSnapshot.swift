import ConnectionEngine

/// The addresses and routes of this machine at one moment.
public struct NetworkSnapshot: Hashable, Sendable {
    /// A description of each address and each route by which packets can leave the machine. Used for comparison only.
    public var ways: Set<String>
    /// Whether any destination is reachable: an interface other than loopback is up, with an address and a route.
    public var isReachable: Bool

    public init(ways: Set<String>, isReachable: Bool) {
        self.ways = ways
        self.isReachable = isReachable
    }

    /// Returns the status to report when the network changes from `previous` to this snapshot; nil when nothing relevant has changed (rule
    /// NM-2).
    public func change(from previous: NetworkSnapshot) -> NetworkStatus? {
        if !isReachable { return previous.isReachable ? .unavailable : nil }
        return previous.isReachable && previous.ways == ways ? nil : .available
    }
}

/// A source of network changes: the operating system, or a test.
public protocol NetworkSource: Sendable {
    /// Starts to watch the network.
    ///
    /// - Parameter changed: called with the new state after every change, from one thread at a time.
    /// - Returns: the current state, and a closure that ends the watch; nil when the system reports no changes.
    func start(_ changed: @escaping @Sendable (NetworkSnapshot) -> Void) -> (now: NetworkSnapshot, stop: @Sendable () -> Void)?
}
