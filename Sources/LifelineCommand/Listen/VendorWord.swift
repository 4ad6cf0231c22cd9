import ConnectionEngine
import Lifeline

extension ServiceName {
    /// The service's own name of a status (rules CL-2 and CL-11); nil when it has none.
    func vendorWord(_ status: ConnectionStatus, _ word: StatusWord) -> String? {
        switch self {
        // It has no name for an end that was not asked for but `disconnected`.
        case .pusher: word == .failed ? "disconnected" : word.rawValue
        case .pubnub: Self.pubNubCategory(status, word).map { "PN\($0)Category" }
        case .nexconn: nil
        }
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
