import ConnectionEngine
import Identifiers
import OrderedCollections
import WireCoding

/// The state of a Pusher client that survives reconnects: the endpoint, and the channels to which the application wants to be subscribed,
/// in the order of its requests.
public struct PusherMemory: Sendable {
    /// The endpoint to which the client connects in every attempt.
    public var endpoint: WebSocketEndpoint
    var channels: OrderedDictionary<Identifier, WantedChannel> = [:]
    /// The application's request to be signed in; nil when it has requested no sign-in.
    var user: WantedUser?
    /// The latest `pusher:error` about the connection; nil as soon as another message has arrived. If the connection closes before that,
    /// this error is reported as the reason.
    var lastError: PusherErrorData?

    /// Whether a channel is wanted: the client is subscribed to it, or subscribes as soon as possible.
    public func wants(_ channel: String) -> Bool { channels[channel] != nil }

    /// The WebSocket subprotocol that the client offers. Pusher protocol, Connection.
    public static let subprotocol = "pusher-channels-protocol-7"

    /// Makes the state of a client that wants no channels yet, with any endpoint.
    public init(endpoint: WebSocketEndpoint) {
        self.endpoint = endpoint
    }

    /// Makes the state of a client that wants no channels yet, with the endpoint of an app.
    ///
    /// - Parameters:
    ///   - key: the app key; percent-encoded where needed, with its letter case kept.
    ///   - path: a prefix of the path `/app/…`; nil for none.
    ///   - clientName: the name that the client sends to the server, with `version`.
    public init(
        key: String, host: String, port: Int, usesTLS: Bool, path: String? = nil,
        clientName: String = "pusher-websocket-swift", version: String = "10.1.10"
    ) {
        let prefix = (path ?? "").split(separator: "/").map { "/" + $0 }.joined()
        let target =
            prefix + "/app/" + PercentEncoding.encode(key) + "?client=" + PercentEncoding.encode(clientName) + "&version="
            + PercentEncoding.encode(version) + "&protocol=7"
        endpoint = WebSocketEndpoint(
            host: host, port: port, usesTLS: usesTLS, target: target, subprotocols: [Self.subprotocol])
    }

    /// Adds the parameter that requests recovery, the replay of missed events, to the address. Servers without recovery ignore this
    /// parameter (rule RV-1).
    public mutating func askForRecovery() {
        endpoint.target += (endpoint.target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "recovery=1"
    }

    /// Adds a wanted channel and requests the events after `position`, as after a lost connection (rule RV-24). Call it before the first
    /// attempt to connect.
    ///
    /// - Parameter socketID: the socket id of the connection on which the position was received. Events whose publisher excluded this
    ///   socket id are not replayed. Nil for none.
    public mutating func resume(_ channel: String, after position: PusherPosition, heardOn socketID: String? = nil) {
        var wanted = WantedChannel()
        wanted.position = position
        wanted.heardOn = socketID
        channels[Identifier(channel)] = wanted
    }

    /// The socket id of the connection on which the channel was last confirmed; nil on servers without recovery.
    public func connection(of channel: String) -> String? { channels[channel]?.heardOn }

    /// The wanted channels, in the order in which they were first requested.
    public var wantedChannels: [String] { channels.keys.texts.filter { !PusherChannelName.isReserved($0) } }
    /// Whether the application wants to be signed in.
    public var wantsUser: Bool { user != nil }
}

/// A channel to which the application wants to be subscribed, over all connections.
struct WantedChannel: Sendable {
    /// The largest number of client events that wait until a channel is subscribed (rule PS-24).
    static let outboxLimit = 100

    /// The authorisation that the caller supplied. It is used once.
    var authorization: PusherAuthorization?
    /// The time limit of the channel's authorisation. The server's confirmation, which follows the authorisation, has the same limit. Nil
    /// for the policy's request timeout.
    var timeout: Duration?
    /// The ids of `subscribe` commands that are answered when the server confirms the subscription or no further attempt is made.
    var waiters: [RequestID] = []
    /// Client events that wait for the confirmation of the subscription, in the order of the calls.
    var outbox: [QueuedEvent] = []
    /// Whether the server has ever confirmed a subscription to the channel.
    var wasConfirmed = false
    /// The position up to which no event of the channel is missing, and the socket id of the connection on which this position was
    /// received. Both are nil on servers without recovery (rule RV-31).
    var position: PusherPosition?
    var heardOn: String?
    /// The position of the latest event that was replayed and delivered before the subscription was confirmed. Events before this position
    /// may be missing (rule RV-32).
    var told: PusherPosition?
    /// When a message was last received before the connection was lost; nil when no messages can be missing.
    var lostAt: Moment?
    /// For presence channels, the members that were last reported to the application.
    var members: OrderedDictionary<Identifier, PusherMember> = [:]
    /// For presence channels, the user's own id on the current connection.
    var myID: String?
    /// The reason why no further attempt to subscribe is made on the current connection; nil if attempts are made.
    var refusal: ConnectionFailure?
    /// The number of failed attempts to subscribe since the server last confirmed the channel.
    var failures = 0
    /// The earliest time of the next automatic attempt to subscribe; nil for no restriction.
    var notBefore: Moment?
}

/// A client event that waits for the confirmation of its channel's subscription.
struct QueuedEvent: Sendable {
    var event: String
    var json: String
    var id: RequestID?
}
