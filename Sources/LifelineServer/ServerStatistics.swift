/// How a server stands and what it has done since it started.
public struct ServerStatistics: Hashable, Sendable {
    /// Open WebSocket connections.
    public var connections = 0
    /// Channels with at least one subscription.
    public var channels = 0
    /// WebSocket connections since the start.
    public var connectionsAccepted = 0
    /// Connections refused with a close code: unknown or disabled application, quota, version, path.
    public var connectionsRefused = 0
    /// Messages that clients sent over WebSockets.
    public var messagesReceived = 0
    /// Bytes that came over WebSockets, with their frames.
    public var bytesReceived = 0
    /// Messages handed to WebSocket connections.
    public var messagesSent = 0
    /// Bytes of those messages with their frames.
    public var bytesSent = 0
    /// Subscribers cut off because they read too slowly.
    public var slowSubscribersCut = 0
    /// Connections cut off because nothing came from them.
    public var deadConnectionsCut = 0
    /// HTTP requests answered.
    public var requests = 0
    /// HTTP requests answered with a status of 400 or above.
    public var requestsRefused = 0

    /// PubNub polls that are being held.
    public var heldPolls = 0
    /// PubNub polls since the start.
    public var polls = 0
    /// Messages, signals and fires that were acknowledged through the PubNub API.
    public var messagesPublished = 0
    /// Messages in answers to PubNub polls.
    public var messagesPolled = 0

    /// Chat messages that sessions, the server API and the bridge sent and that were stored.
    public var chatMessages = 0
    /// Events that webhooks told, and those that they gave up.
    public var webhookEvents = 0
    public var webhookEventsDropped = 0
    /// Frames of chat sessions that were refused before anybody was asked.
    public var chatRefusals = 0

    public init() {}
}
