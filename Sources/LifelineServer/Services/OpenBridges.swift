import NIOConcurrencyHelpers
import ServerRuntime

/// The bridges of the servers that share a backend. The key is the number of the server's first event loop.
///
/// The lock is held while a bridge is opened and while new settings are applied. So each bridge is checked against the current settings,
/// and new settings are checked against all open bridges (rule BR-22).
struct OpenBridges: Sendable {
    private let bridges = NIOLockedValueBox<[Int: Bridge]>([:])

    /// Registers the bridge of a server. Throws the error of `check` if that refuses the bridge.
    func open(_ bridge: Bridge, for node: ServerNode, checking check: () throws -> Void) throws {
        try bridges.withLockedValue { bridges in
            try check()
            bridges[node.firstEventLoopID] = bridge
        }
    }

    func close(for node: ServerNode) {
        bridges.withLockedValue { $0[node.firstEventLoopID] = nil }
    }

    /// Applies a change of settings, unless `check` throws for one of the open bridges.
    func change(checking check: (Bridge) throws -> Void, _ apply: () -> Void) throws {
        try bridges.withLockedValue { bridges in
            for bridge in bridges.values { try check(bridge) }
            apply()
        }
    }
}
