import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// The state of the connection: the current one, and the one that was last reported (rules NC-10 to NC-12).
///
/// The current status changes at once; changes are reported on the work queue, in order and without repetitions. `connected` becomes
/// current only when it is reported, because the database has to be open by then.
final class StatusBoard: Sendable {
    private struct State {
        /// The number of the client whose reports are accepted.
        var owner: UInt64 = 0
        var status = NCConnectionStatus.unconnected
        /// The number of the latest change, so that a late `connected` does not replace a later change.
        var version: UInt64 = 0
        var told = NCConnectionStatus.unconnected
        var network = NetworkStatus.available
    }

    /// Changes for async sequences. None is ever dropped.
    let updates = Broadcaster<NCConnectionDetails>(
        backlog: 1024, isDroppable: { _ in false },
        dropped: { _ in NCConnectionDetails(status: .unknown, category: "dropped") })
    /// Whether there is a network, for async sequences.
    let networkUpdates = Broadcaster<Bool>(backlog: 64, isDroppable: { _ in true }, dropped: { _ in true })
    private let registry: HandlerRegistry
    private let state = NIOLockedValueBox(State())

    init(registry: HandlerRegistry) {
        self.registry = registry
    }

    var status: NCConnectionStatus { state.withLockedValue { $0.status } }

    /// Accepts the reports of `owner` from now on, and ignores others.
    func hand(to owner: UInt64, _ status: NCConnectionStatus) {
        state.withLockedValue { state in
            state.owner = owner
            state.status = status
            state.version += 1
        }
    }

    /// Records a change of a client, at once.
    ///
    /// - Returns: the version to pass to ``confirm(_:of:)`` once `connected` is reported.
    func note(_ status: NCConnectionStatus, of owner: UInt64) -> UInt64 {
        state.withLockedValue { state in
            guard state.owner == owner else { return 0 }
            state.version += 1
            if status != .connected { state.status = status }
            return state.version
        }
    }

    /// The connection may be used now, because the database is open.
    func confirm(_ version: UInt64, of owner: UInt64) {
        state.withLockedValue { state in
            if state.owner == owner && state.version == version { state.status = .connected }
        }
    }

    /// Reports a change, unless it was the last one reported. On the work queue only.
    func tell(_ details: NCConnectionDetails) {
        let isNews = state.withLockedValue { state in
            defer { state.told = details.status }
            return state.told != details.status
        }
        guard isNews else { return }
        updates.send([details])
        let event = ConnectionStatusChangedEvent(details)
        registry.run { [registry] in
            registry.connectionStatus.tell { $0.tell(event) }
        }
    }

    /// Reports that the network is available or not, unless that was the last report. On the work queue only.
    func tell(_ network: NetworkStatus) {
        let isNews = state.withLockedValue { state in
            defer { state.network = network }
            return state.network != network
        }
        guard isNews else { return }
        networkUpdates.send([network == .available])
        let event = NetworkStatusChangedEvent(isAvailable: network == .available)
        registry.run { [registry] in
            registry.connectionStatus.tell { $0.tell(event) }
        }
    }
}
