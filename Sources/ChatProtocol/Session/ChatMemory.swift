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
    /// Whether this device ends its own session when it reconnects and another device of the user has signed in since the connection was
    /// lost.
    public var yields: Bool
    /// The position in the user's inbox up to which the application has stored all events; nil for a new device. Each
    /// ``ChatCommand/acknowledge(_:)`` advances it.
    public internal(set) var resume: ChatPlace?
    /// The time limit of a message, from the command `send` to the server's answer.
    public var sendLimit: Duration
    /// The user's id from the last welcome; nil before the first one.
    public internal(set) var user: String?

    /// The sequence number of the last inbox event that the session has reported, in the epoch of `resume`.
    var delivered: UInt64
    /// Whether the last connection was welcomed and then lost, rather than closed on request.
    var wasLost = false
    /// The time when the last lost connection last received data; nil once the server has welcomed the client again.
    var lostAt: Moment?
    var disablesPush = false
    var outbox = ChatOutbox()
    /// The open channels that the user wants to be in, in the order in which they were requested.
    var entries: OrderedDictionary<Identifier, WantedEntry> = [:]

    /// The WebSocket subprotocol that the client offers (chat-protocol.md, section 1).
    public static let subprotocol = "nexconn.lifeline.v1"
    /// The path of the WebSocket address.
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

    /// The number of messages that wait to be sent, or for their answer.
    public var waitingMessages: Int { outbox.messages.count }
    /// The open channels that the user wants to be in, in the order in which they were requested.
    public var openChannels: [String] { entries.keys.texts }
}

/// An open channel that the user wants to be in, also after reconnects.
struct WantedEntry: Sendable {
    var entry: ChatEntryRequest
    /// The ids of the commands to enter the channel that have not been answered yet.
    var waiters: [RequestID] = []
    /// Whether the user has ever entered the channel.
    var wasIn = false
    /// The id of the last message that was received in the channel and that its history contains; nil before the user has entered.
    var lastSeen: ChatMessageID?
    /// The time when data was last received before the connection was lost.
    var lostAt: Moment?

    /// The request to enter the channel on a new connection. It asks for as many missed messages as one answer can have.
    var renewal: ChatEntryRequest {
        guard wasIn, let lastSeen else { return entry }
        return ChatEntryRequest(
            entry.channel, count: ChatProtocolLimits.entryMessages.upperBound, after: lastSeen, extra: entry.extra)
    }
}
