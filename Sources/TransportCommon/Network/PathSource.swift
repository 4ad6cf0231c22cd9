#if canImport(Network)
    import Dispatch
    import Network

    /// Reports changes of the network on Apple platforms, with `NWPathMonitor`.
    struct PathSource: NetworkSource {
        func start(
            _ changed: @escaping @Sendable (NetworkSnapshot) -> Void
        ) -> (now: NetworkSnapshot, stop: @Sendable () -> Void)? {
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { changed(Self.snapshot($0)) }
            monitor.start(queue: DispatchQueue(label: "lifeline.network"))
            return (Self.snapshot(monitor.currentPath), { monitor.cancel() })
        }

        private static func snapshot(_ path: NWPath) -> NetworkSnapshot {
            let ways =
                path.availableInterfaces.map { "interface \($0.index) \($0.name)" }
                + path.gateways.map { "gateway \($0)" } + (path.localEndpoint.map { ["address \($0)"] } ?? [])
            // The status `requiresConnection` counts as reachable, because a connection establishes the path, such as a VPN on demand (rule
            // SO-110).
            return NetworkSnapshot(ways: Set(ways), isReachable: path.status != .unsatisfied)
        }
    }
#endif
