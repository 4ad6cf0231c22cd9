import ConnectionEngine
import Lifeline

/// The words for a connection status, which are the same for all services.
enum StatusWord: String, Hashable, Sendable, CaseIterable {
    case connecting, connected, reconnecting, disconnecting, disconnected, failed

    /// The word for a phase (rule CL-2); nil before the first `connect`, when there is nothing to report yet.
    init?(_ phase: ConnectionPhase) {
        switch phase {
        case .idle: return nil
        case .connecting: self = .connecting
        case .connected: self = .connected
        case .waiting, .suspended: self = .reconnecting
        case .disconnecting: self = .disconnecting
        case .disconnected: self = .disconnected
        case .failed: self = .failed
        }
    }

    /// The explanation of a status that has no cause.
    var sentence: String {
        switch self {
        case .connecting: "Connecting."
        case .connected: "The service confirmed the connection."
        case .reconnecting: "The connection was lost."
        case .disconnecting: "Asked to disconnect."
        case .disconnected: "Disconnected on request."
        case .failed: "The client makes no further attempt to connect."
        }
    }
}

extension ListenLine.Status {
    /// The content of a line for a status; nil before the first `connect`.
    init?(_ status: ConnectionStatus, of service: ServiceKind = .pusher) {
        guard let word = StatusWord(status.phase) else { return nil }
        let isError = word == .reconnecting || word == .failed
        self.init(
            word: word, category: status.category.rawValue, attempt: status.attempt, retryIn: status.retryIn,
            willRetry: status.willRetry, isError: isError, code: status.cause?.code,
            reason: status.cause?.reason ?? word.sentence,
            vendor: service.vendorWord(status, word))
    }
}
