import ConnectionEngine
import EngineRuntime

/// Ends every attempt without dialling, because the configuration is wrong.
final class RefusingTransport<Session: ProtocolSession>: ClientTransport {
    private let failure: ConnectionFailure

    init(_ failure: ConnectionFailure) {
        self.failure = failure
    }

    func open(
        _ endpoint: Session.Endpoint, attempt: AttemptID, report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void
    ) {
        report(.closed(failure))
    }

    func send(_ outbound: Session.Outbound, attempt: AttemptID) {}

    func close(_ attempt: AttemptID, reason: CloseReason) {}
}
