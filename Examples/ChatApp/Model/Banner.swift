import Lifeline

/// What the app says about the connection. It is never better than the truth.
public enum Banner: Hashable, Sendable {
    /// Nothing to say: lines come and go.
    case none
    case connecting
    /// The connection is lost; the next attempt comes in so many seconds, or as soon as there is a network.
    case waiting(seconds: Int?, reason: String)
    /// Nothing more is tried; the user has to do something.
    case failed(reason: String)
    case offline
    /// The app is in the background; the client connects when it returns.
    case paused

    /// The banner for a status of the connection.
    public init(_ status: ConnectionStatus) {
        switch status.phase {
        case .connected: self = .none
        case .connecting: self = .connecting
        case .waiting:
            let seconds = status.retryIn.map { Int(($0 / .seconds(1)).rounded(.up)) }
            self = .waiting(seconds: seconds, reason: status.cause?.reason ?? "")
        case .suspended where status.category == .background: self = .paused
        case .suspended: self = .waiting(seconds: nil, reason: "There is no network.")
        case .failed: self = .failed(reason: status.cause?.reason ?? "")
        case .idle, .disconnecting, .disconnected: self = .offline
        }
    }

    /// One line for people; nil for nothing to say.
    public var text: String? {
        switch self {
        case .none: nil
        case .connecting: "Connecting …"
        case .waiting(let seconds?, let reason): "Not connected, next attempt in \(seconds) s. \(reason)"
        case .waiting(nil, let reason): "Not connected. \(reason)"
        case .failed(let reason): "Not connected, and nothing more is tried. \(reason)"
        case .offline: "Offline."
        case .paused: "Paused."
        }
    }
}
