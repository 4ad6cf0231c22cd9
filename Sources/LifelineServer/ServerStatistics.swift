import ServerRuntime

/// The current statistics of a server, and its counters since the start.
public struct ServerStatistics: Hashable, Sendable {
    /// The number of open WebSocket connections.
    public var connections = 0
    /// The number of channels with at least one subscription.
    public var channels = 0
    /// The number of accepted WebSocket connections since the start.
    public var connectionsAccepted = 0
    /// Connections refused with a close code, because of an unknown or disabled application, a quota, the protocol version or the path.
    public var connectionsRefused = 0
    /// The number of messages that clients sent over WebSockets.
    public var messagesReceived = 0
    /// The number of bytes that were received over WebSockets, including frame headers.
    public var bytesReceived = 0
    /// The number of messages that were sent to WebSocket connections.
    public var messagesSent = 0
    /// The number of bytes that were sent over WebSockets, including frame headers.
    public var bytesSent = 0
    /// The number of subscribers that were disconnected because they read too slowly.
    public var slowSubscribersCut = 0
    /// The number of connections that were closed because nothing was received from them.
    public var deadConnectionsCut = 0
    /// The number of answered HTTP requests.
    public var requests = 0
    /// The number of HTTP requests that were answered with a status of 400 or above.
    public var requestsRefused = 0

    /// The number of PubNub polls that are held at present.
    public var heldPolls = 0
    /// The number of PubNub polls since the start.
    public var polls = 0
    /// The number of messages, signals and fires that were acknowledged through the PubNub API.
    public var messagesPublished = 0
    /// The number of messages in answers to PubNub polls.
    public var messagesPolled = 0

    /// The number of chat messages of sessions, the server API and the bridge that were stored.
    public var chatMessages = 0
    /// The number of events that webhooks delivered.
    public var webhookEvents = 0
    /// The number of events that webhooks dropped.
    public var webhookEventsDropped = 0
    /// The number of frames of chat sessions that were refused because of their form or rate.
    public var chatRefusals = 0

    /// Makes statistics with all values zero.
    public init() {}
}

extension ServerStatistics {
    /// Adds the deliveries of one service's webhooks to the counters.
    package mutating func add(_ webhooks: [WebhookReport.Name: WebhookDelivery.Counts]) {
        for counts in webhooks.values {
            webhookEvents += counts.delivered
            webhookEventsDropped += counts.dropped
        }
    }
}
