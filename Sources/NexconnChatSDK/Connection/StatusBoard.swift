import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// The status of the connection: the present one, and the one that handlers were last notified of (rules NC-10 to NC-12).
///
/// The present status changes at once. Handlers are notified on the work queue, in order and without repetitions. `connected` becomes the
/// present status only when handlers are notified, because the database has to be open by then.
final class StatusBoard: Sendable {
    private struct State {
        /// The number of the client whose changes of status are accepted; 0 while no user is signed in.
        var owner: UInt64 = 0
        var status = NCConnectionStatus.unconnected
        /// The number of the latest change of status. With it, ``confirm(_:of:)`` detects that `connected` is no longer the latest change.
        var version: UInt64 = 0
        var told = NCConnectionStatus.unconnected
        var network = NetworkStatus.available
    }

    /// Sends changes of status to async sequences. No change is ever dropped.
    let updates = Broadcaster<NCConnectionDetails>(
        backlog: 1024, isDroppable: { _ in false },
        dropped: { _ in NCConnectionDetails(status: .unknown, category: "dropped") })
    /// Sends changes of the network to async sequences: true when a network is available.
    let networkUpdates = Broadcaster<Bool>(backlog: 64, isDroppable: { _ in true }, dropped: { _ in true })
    private let registry: HandlerRegistry
    private let state = NIOLockedValueBox(State())

    init(registry: HandlerRegistry) {
        self.registry = registry
    }

    var status: NCConnectionStatus { state.withLockedValue { $0.status } }

    /// Sets the present status. From now on only changes of the client with the number `owner` are accepted.
    func hand(to owner: UInt64, _ status: NCConnectionStatus) {
        state.withLockedValue { state in
            state.owner = owner
            state.status = status
            state.version += 1
        }
    }

    /// Records a change of a client's status at once, except `connected`.
    ///
    /// - Returns: the version for ``confirm(_:of:)``, which sets `connected` later.
    func note(_ status: NCConnectionStatus, of owner: UInt64) -> UInt64 {
        state.withLockedValue { state in
            guard state.owner == owner else { return 0 }
            state.version += 1
            if status != .connected { state.status = status }
            return state.version
        }
    }

    /// Sets the present status to `connected`, because the database is open, unless the status has changed since `version`.
    func confirm(_ version: UInt64, of owner: UInt64) {
        state.withLockedValue { state in
            if state.owner == owner && state.version == version { state.status = .connected }
        }
    }

    /// Notifies handlers of a status, unless it is the last one that they were notified of. Must be called on the work queue.
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

    /// Notifies handlers whether a network is available, unless the last notification said the same. Must be called on the work queue.
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
