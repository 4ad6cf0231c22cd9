import ConnectionEngine
import EngineRuntime

/// A transport that ends every attempt without opening a connection, because the client's configuration has an error.
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
