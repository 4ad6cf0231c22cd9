import ChatProtocol
import ConnectionEngine
import HTTPTransport

/// How a test service refuses connection attempts and requests.
public enum Refusal: Hashable, Sendable {
    /// No process listens, so the connection is refused. Clients try again.
    case unreachable
    /// The server is overloaded (status 503), and asks clients to reconnect after `retryAfter`. Clients try again, but not earlier.
    case overloaded(retryAfter: Duration? = nil)
    /// There is no application with the client's key. Clients of Pusher (4001) and chat (31002) do not try again; PubNub answers 400.
    case unknownKey
    /// The token or the user is not accepted. Clients of Pusher (4009) and chat (31004, `tokenIncorrect`) do not try again. PubNub answers
    /// 403, and its clients try again until `cancelAutomaticRetry()`.
    case invalidToken
}

/// How and why a test service ends connections; see ``TestService/drop(_:)``.
public enum Drop: Hashable, Sendable {
    /// The connection ends without a close frame.
    case reset
    /// The server restarts: Pusher closes with 4200, chat sends a `bye` with 32061, polls of PubNub are cut.
    case restart
    /// The server is overloaded: Pusher closes with 4100, chat sends a `bye` with 31024, polls of PubNub are answered with 503.
    case overloaded(retryAfter: Duration? = nil)
    /// The application does not exist any more. Clients of Pusher (4001) and chat (31002) do not try again; polls of PubNub are answered
    /// with 400.
    case unknownKey
    /// The user has signed in on another device. Only chat has this reason, and its clients do not try again.
    case kicked
    /// The user is banned. Only chat has this reason, and its clients do not try again.
    case banned
    /// The token has expired, and the app needs a new one. Only chat has this reason, and its clients do not try again.
    case tokenExpired
}

extension Drop {
    var isOfChat: Bool {
        switch self {
        case .kicked, .banned, .tokenExpired: true
        case .reset, .restart, .overloaded, .unknownKey: false
        }
    }

    /// The code and reason of Pusher's close frame; nil when Pusher sends no close frame.
    var pusher: (Int, String)? {
        switch self {
        case .restart: (4200, "The server restarts.")
        case .overloaded: (4100, "The server is over capacity.")
        case .unknownKey: (4001, "Could not find app by key.")
        case .reset, .kicked, .banned, .tokenExpired: nil
        }
    }

    /// Chat's `bye` message; nil when chat sends none.
    var bye: ChatBye? {
        switch self {
        case .reset: nil
        case .restart: ChatBye(code: .serverRestarts, reason: "The server restarts.", mayRetry: true)
        case .overloaded(let retryAfter):
            ChatBye(
                code: .tooManyConnections, reason: "The server is over capacity.", mayRetry: true,
                after: retryAfter.map { Int($0.inSeconds * 1000) })
        case .unknownKey: ChatBye(code: .unknownApplication, reason: "There is no application with this key.")
        case .kicked: ChatBye(code: .kicked, reason: "Signed in on another device.")
        case .banned: ChatBye(code: .bannedWhileOnline, reason: "The user is banned.")
        case .tokenExpired: ChatBye(code: .tokenExpired, reason: "The token has expired.")
        }
    }

    /// The result of PubNub's waiting polls: an error answer, or a failure of the connection.
    var poll: Result<HTTPCallAnswer, ConnectionFailure> {
        switch self {
        case .overloaded(let retryAfter): .success(.overloaded(retryAfter))
        case .unknownKey: .success(.invalidSubscribeKey)
        case .reset, .restart, .kicked, .banned, .tokenExpired: .failure(.cut)
        }
    }
}
