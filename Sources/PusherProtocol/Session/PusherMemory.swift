import ConnectionEngine
import Identifiers
import OrderedCollections
import WireCoding

/// The state of a Pusher client that survives reconnects: the endpoint, and the wanted channels, in order.
public struct PusherMemory: Sendable {
    /// The endpoint of every attempt.
    public var endpoint: WebSocketEndpoint
    var channels: OrderedDictionary<Identifier, WantedChannel> = [:]
    /// Set while a sign-in is requested.
    var user: WantedUser?
    /// The latest `pusher:error` about the connection, if no message followed it: the reason if the connection closes now.
    var lastError: PusherErrorData?

    /// Whether a channel is wanted: subscribed, or to be subscribed as soon as that is possible.
    public func wants(_ channel: String) -> Bool { channels[channel] != nil }

    /// The subprotocol that is offered. Pusher protocol, Connection.
    public static let subprotocol = "pusher-channels-protocol-7"

    /// A memory with an endpoint of the caller's making.
    public init(endpoint: WebSocketEndpoint) {
        self.endpoint = endpoint
    }

    /// - Parameters:
    ///   - key: the app key; percent-encoded where needed, with its letter case kept.
    ///   - path: put in front of `/app/…`; nil for none.
    ///   - clientName: the name by which the server knows this client, with `version`.
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

    /// Requests recovery from servers that support it, so that missed events are replayed; other servers ignore the parameter (rule
    /// RV-1).
    public mutating func askForRecovery() {
        endpoint.target += (endpoint.target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "recovery=1"
    }

    /// Adds a wanted channel, and requests the events after `position`, as after a loss (rule RV-24). Call it before the first attempt.
    ///
    /// - Parameter socketID: the connection of that position; events that were published with its exclusion are not replayed; nil for
    ///   none.
    public mutating func resume(_ channel: String, after position: PusherPosition, heardOn socketID: String? = nil) {
        var wanted = WantedChannel()
        wanted.position = position
        wanted.heardOn = socketID
        channels[Identifier(channel)] = wanted
    }

    /// The connection on which the channel was confirmed last, on servers with recovery.
    public func connection(of channel: String) -> String? { channels[channel]?.heardOn }

    /// The wanted channels, in the order in which they were first requested.
    public var wantedChannels: [String] { channels.keys.texts.filter { !PusherChannelName.isReserved($0) } }
    /// Whether a user wants to be signed in.
    public var wantsUser: Bool { user != nil }
}

/// A channel that a user wants, over all connections.
struct WantedChannel: Sendable {
    /// How many events may wait for a channel (rule PS-24).
    static let outboxLimit = 100

    /// The authorisation that the caller supplied; used once.
    var authorization: PusherAuthorization?
    /// The time limit of each step, when the channel has one of its own.
    var timeout: Duration?
    /// The requests that wait for the confirmation.
    var waiters: [RequestID] = []
    /// Events that wait for the confirmation, in order.
    var outbox: [QueuedEvent] = []
    /// Whether it has ever been confirmed.
    var wasConfirmed = false
    /// The position up to which no event of the channel is missing, and the connection of that subscription. Set on servers with
    /// recovery (rule RV-31).
    var position: PusherPosition?
    var heardOn: String?
    /// The latest event that was replayed and delivered before a confirmation. Earlier events may be missing (rule RV-32).
    var told: PusherPosition?
    /// When a message was last received before the link was lost, if messages may be missing since then.
    var lostAt: Moment?
    /// The members at the last report, for presence channels.
    var members: OrderedDictionary<Identifier, PusherMember> = [:]
    /// Presence: the own user id on the present connection.
    var myID: String?
    /// Why the subscription has failed for good on the present connection.
    var refusal: ConnectionFailure?
    /// Failures to subscribe in a row.
    var failures = 0
    /// The session makes no attempt by itself before this time.
    var notBefore: Moment?
}

/// A client event that waits.
struct QueuedEvent: Sendable {
    var event: String
    var json: String
    var id: RequestID?
}
