import ChatProtocol
import ConnectionEngine
import Lifeline

extension ServiceKind {
    /// The service's own name of a status (rules CL-2, CL-11 and CL-17); nil when it has none.
    func vendorWord(_ status: ConnectionStatus, _ word: StatusWord) -> String? {
        switch self {
        // Pusher has only the name `disconnected` for the end of a connection that the client did not request.
        case .pusher: word == .failed ? "disconnected" : word.rawValue
        case .pubnub: Self.pubNubCategory(status, word).map { "PN\($0)Category" }
        case .nexconn: Self.nexconnStatus(status)
        }
    }

    /// The name and number of a chat status, such as `connected 0`.
    private static func nexconnStatus(_ status: ConnectionStatus) -> String {
        let code = ChatStatusCode(
            change: ConnectionChange(
                previous: status.previous, phase: status.phase, category: status.category, cause: status.cause,
                attempt: status.attempt, retryIn: status.retryIn, willRetry: status.willRetry, at: status.at))
        return "\(code.name) \(code.rawValue)"
    }

    private static func pubNubCategory(_ status: ConnectionStatus, _ word: StatusWord) -> String? {
        switch word {
        case .connecting: return nil
        case .connected: return status.category == .reconnected ? "Reconnected" : "Connected"
        case .disconnecting, .disconnected: return "Disconnected"
        case .reconnecting, .failed: break
        }
        switch status.category {
        case .accessDenied, .credentialsRejected: return "AccessDenied"
        case .malformedFilter: return "MalformedFilterExpression"
        case .requestTooLong: return "RequestURITooLong"
        case .badRequest: return "BadRequest"
        default: return "UnexpectedDisconnect"
        }
    }
}
