import ChatProtocol
import ConnectionEngine
import HTTPTransport

/// How a test service refuses attempts to connect, and requests.
public enum Refusal: Hashable, Sendable {
    /// No process listens: the connection is refused. Clients try again.
    case unreachable
    /// The server is overloaded (status 503), and asks clients to reconnect after a pause. Clients try again, not before that.
    case overloaded(retryAfter: Duration? = nil)
    /// There is no application with this key. Final for Pusher (4001) and chat (31002); PubNub answers 400.
    case unknownKey
    /// The token, or the user, is not accepted. Final for Pusher (4009) and chat (31004, `tokenIncorrect`); PubNub answers 403, which
    /// clients retry until `cancelAutomaticRetry()`.
    case invalidToken
}

/// Why a test service ends connections.
public enum Drop: Hashable, Sendable {
    /// The connection ends without a close frame.
    case reset
    /// The server restarts: Pusher closes with 4200, chat sends a `bye` with 32061, polls of PubNub are cut.
    case restart
    /// The server is overloaded: Pusher closes with 4100, chat sends a `bye` with 31024, polls of PubNub are answered with 503.
    case overloaded(retryAfter: Duration? = nil)
    /// The application does not exist any more: final for Pusher (4001) and chat (31002); polls of PubNub are answered with 400.
    case unknownKey
    /// The user has signed in on another device. Chat only, final.
    case kicked
    /// The user is banned. Chat only, final.
    case banned
    /// The token has expired; the app needs a new one. Chat only, final.
    case tokenExpired
}

extension Drop {
    var isOfChat: Bool {
        switch self {
        case .kicked, .banned, .tokenExpired: true
        case .reset, .restart, .overloaded, .unknownKey: false
        }
    }

    /// The close code and reason of Pusher; nil for none.
    var pusher: (Int, String)? {
        switch self {
        case .restart: (4200, "The server restarts.")
        case .overloaded: (4100, "The server is over capacity.")
        case .unknownKey: (4001, "Could not find app by key.")
        case .reset, .kicked, .banned, .tokenExpired: nil
        }
    }

    /// Chat's `bye`; nil for none.
    var bye: ChatBye? {
        switch self {
        case .reset: nil
        case .restart: ChatBye(code: .serverRestarts, reason: "The server restarts.", mayRetry: true)
        case .overloaded(let retryAfter):
            ChatBye(
                code: .tooManyConnections, reason: "The server is over capacity.", mayRetry: true,
                after: retryAfter.map { Int($0.inSeconds * 1000) })
        case .unknownKey: ChatBye(code: .unknownApplication, reason: "There is no such application.")
        case .kicked: ChatBye(code: .kicked, reason: "Signed in on another device.")
        case .banned: ChatBye(code: .bannedWhileOnline, reason: "The user is banned.")
        case .tokenExpired: ChatBye(code: .tokenExpired, reason: "The token has expired.")
        }
    }

    /// The result of a poll.
    var poll: Result<HTTPCallAnswer, ConnectionFailure> {
        switch self {
        case .overloaded(let retryAfter): .success(.overloaded(retryAfter))
        case .unknownKey: .success(.invalidSubscribeKey)
        case .reset, .restart, .kicked, .banned, .tokenExpired: .failure(.cut)
        }
    }
}
