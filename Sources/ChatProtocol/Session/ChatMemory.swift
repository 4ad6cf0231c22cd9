import ConnectionEngine
import DequeModule
import Identifiers
import OrderedCollections

/// The state of a chat client that survives reconnects: user, position in the inbox, waiting messages, and open channels.
public struct ChatMemory: Sendable {
    public var endpoint: WebSocketEndpoint
    public var appKey: String
    public var token: String
    public var device: ChatDevice
    public var client: String
    /// Whether this device's session ends when another device has signed in meanwhile.
    public var yields: Bool
    /// The position up to which all events are stored; nil for a new device. Advances with each ``ChatCommand/acknowledge(_:)``.
    public internal(set) var resume: ChatPlace?
    /// How long a message may wait for its answer, from the command on.
    public var sendLimit: Duration
    /// The user of the last welcome.
    public internal(set) var user: String?

    /// The last sequence number that was delivered, in the epoch of `resume`.
    var delivered: UInt64
    /// Whether the last link was welcomed, and was lost instead of closed on request.
    var wasLost = false
    /// When data was last received on the link that was lost.
    var lostAt: Moment?
    var disablesPush = false
    var outbox = ChatOutbox()
    /// The wanted open channels, in the order in which they were requested.
    var entries: OrderedDictionary<Identifier, WantedEntry> = [:]

    /// The subprotocol that is offered (chat-protocol.md, section 1).
    public static let subprotocol = "nexconn.lifeline.v1"
    /// The path of the session.
    public static let path = "/nexconn/v1"

    public init(
        host: String, port: Int, usesTLS: Bool, path: String = ChatMemory.path, appKey: String, token: String,
        device: ChatDevice, client: String = "lifeline/1", yields: Bool = false, resume: ChatPlace? = nil,
        sendLimit: Duration = .seconds(30)
    ) {
        endpoint = WebSocketEndpoint(
            host: host, port: port, usesTLS: usesTLS, target: path, subprotocols: [Self.subprotocol])
        self.appKey = appKey
        self.token = token
        self.device = device
        self.client = client
        self.yields = yields
        self.resume = resume
        self.sendLimit = sendLimit
        delivered = resume?.sequence ?? 0
    }

    /// How many messages wait to be sent, or for their answer.
    public var waitingMessages: Int { outbox.messages.count }
    /// The wanted open channels, in the order in which they were requested.
    public var openChannels: [String] { entries.keys.texts }
}

/// An open channel that a user wants to be in, over all connections.
struct WantedEntry: Sendable {
    var entry: ChatEntryRequest
    /// The requests that wait for the entry.
    var waiters: [RequestID] = []
    /// Whether it has ever been entered.
    var wasIn = false
    /// The last received message that is also in the history.
    var lastSeen: ChatMessageID?
    /// When data was last received before the link was lost.
    var lostAt: Moment?

    /// The request on a new connection: all missed messages that fit in one answer.
    var renewal: ChatEntryRequest {
        guard wasIn, let lastSeen else { return entry }
        return ChatEntryRequest(
            entry.channel, count: ChatProtocolLimits.entryMessages.upperBound, after: lastSeen, extra: entry.extra)
    }
}
