import ConnectionEngine
import NIOConcurrencyHelpers

/// Reports changes of the network: the loss of all routes, a new route, or another path. The reports only speed up reactions, because
/// timers detect a lost connection as well.
///
/// One monitor serves the whole process. It watches the network while it has observers.
public final class NetworkMonitor: Sendable {
    /// The monitor of this process: `NWPathMonitor` on Apple platforms, rtnetlink on Linux.
    public static let shared = NetworkMonitor(source: systemSource)

    private static var systemSource: any NetworkSource {
        #if canImport(Network)
            PathSource()
        #elseif os(Linux)
            RouteSource()
        #else
            SilentSource()
        #endif
    }

    private struct State {
        var observers: [UInt64: @Sendable (NetworkStatus) -> Void] = [:]
        var lastObserver: UInt64 = 0
        var latest: NetworkSnapshot?
        var stop: (@Sendable () -> Void)?
        /// The number of the current watch: each time the first observer registers, the monitor begins to watch the network under a new
        /// number. Late reports of an ended watch are recognised by their number and ignored.
        var watch: UInt64 = 0
    }

    private let source: any NetworkSource
    private let state = NIOLockedValueBox(State())

    /// Makes a monitor with another source, for tests and for systems without a source.
    public init(source: any NetworkSource) {
        self.source = source
    }

    deinit {
        state.withLockedValue { $0.stop }?()
    }

    /// Calls `report` with every later change, on a thread of the monitor; `report` must not block. The initial state is not reported (rule
    /// NM-1).
    ///
    /// - Returns: the observation. Releasing it ends the reports.
    public func observe(_ report: @escaping @Sendable (NetworkStatus) -> Void) -> NetworkObservation {
        let (id, watch) = state.withLockedValue { state -> (UInt64, UInt64?) in
            state.lastObserver += 1
            state.observers[state.lastObserver] = report
            guard state.observers.count == 1 else { return (state.lastObserver, nil) }
            state.watch += 1
            return (state.lastObserver, state.watch)
        }
        if let watch { begin(watch) }
        return NetworkObservation { [weak self] in self?.remove(id) }
    }

    private func begin(_ watch: UInt64) {
        let started = source.start { [weak self] snapshot in self?.changed(snapshot, watch) }
        guard let (now, stop) = started else { return }
        let isStale = state.withLockedValue { state in
            // If the last observer was released while the source was starting, watching the network is ended at once.
            guard state.watch == watch, !state.observers.isEmpty else { return true }
            if state.latest == nil { state.latest = now }
            state.stop = stop
            return false
        }
        if isStale { stop() }
    }

    private func changed(_ snapshot: NetworkSnapshot, _ watch: UInt64) {
        let (status, observers) = state.withLockedValue { state -> (NetworkStatus?, [@Sendable (NetworkStatus) -> Void]) in
            guard state.watch == watch, !state.observers.isEmpty else { return (nil, []) }
            defer { state.latest = snapshot }
            return (state.latest.flatMap { snapshot.change(from: $0) }, Array(state.observers.values))
        }
        guard let status else { return }
        for observer in observers { observer(status) }
    }

    /// Notes that the network path of a connection has failed, works again, or is no longer the best one. Observers then check their
    /// connections, unless the loss of all routes was already reported (rule SO-109).
    package func connectionPathChanged() {
        let observers = state.withLockedValue { state in
            state.latest?.isReachable == false ? [] : Array(state.observers.values)
        }
        for observer in observers { observer(.available) }
    }

    private func remove(_ id: UInt64) {
        let stop = state.withLockedValue { state -> (@Sendable () -> Void)? in
            state.observers[id] = nil
            guard state.observers.isEmpty else { return nil }
            state.watch += 1
            defer { (state.stop, state.latest) = (nil, nil) }
            return state.stop
        }
        stop?()
    }

    /// Observes the network for a client that connects to `host`. Returns nil when changes of the network do not affect such a connection.
    public func observe(
        forHost host: String, _ report: @escaping @Sendable (NetworkStatus) -> Void
    ) -> NetworkObservation? {
        Self.concerns(host: host) ? observe(report) : nil
    }

    /// Whether changes of the network affect a connection to `host`. They do not if `host` is this machine itself (rule NM-3).
    public static func concerns(host: String) -> Bool {
        !Loopback.contains(host)
    }
}

/// The registration of one observer with the monitor. Releasing this object ends the registration.
public final class NetworkObservation: Sendable {
    private let end: @Sendable () -> Void

    /// Makes a registration.
    ///
    /// - Parameter end: called once, when this object is released.
    package init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }
}

/// A source for systems that report no changes of the network.
struct SilentSource: NetworkSource {
    func start(_ changed: @escaping @Sendable (NetworkSnapshot) -> Void) -> (now: NetworkSnapshot, stop: @Sendable () -> Void)? {
        nil
    }
}
