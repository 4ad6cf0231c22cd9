#if canImport(Network)
    import Dispatch
    import Network

    /// Reports changes of the network on Apple platforms.
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
            // With `requiresConnection` the path is established by a connection, such as a VPN on demand (rule SO-110).
            return NetworkSnapshot(ways: Set(ways), isReachable: path.status != .unsatisfied)
        }
    }
#endif
