/// A receiver of events about an application's channels.
public struct Webhook: Hashable, Sendable {
    /// The kinds of events that a webhook can get.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// A channel has its first subscription.
        case channelOccupied = "channel_occupied"
        /// A channel has lost its last subscription.
        case channelVacated = "channel_vacated"
        /// A user joined a presence channel.
        case memberAdded = "member_added"
        /// A user left a presence channel.
        case memberRemoved = "member_removed"
        /// A client sent a client event to a channel.
        case clientEvent = "client_event"
        /// A client subscribed to a cache channel that has no cached event.
        case cacheMiss = "cache_miss"
        /// The number of subscriptions of a channel changed.
        case subscriptionCount = "subscription_count"
    }

    /// The receiver's address, with the scheme `http` or `https`.
    public var url: String
    /// The kinds of events that the receiver gets.
    public var events: Set<Event>
    /// The receiver gets only events of channels whose name begins with this text; nil for all channels.
    public var channelPrefix: String?
    /// The receiver gets only events of channels whose name ends with this text; nil for all channels.
    public var channelSuffix: String?
    /// Whether one request may contain several events.
    public var batches: Bool
    /// Header fields that are added to every request, such as an access token.
    public var headers: [String: String]

    /// Makes a receiver; by default of all events of all channels.
    public init(
        url: String, events: Set<Event> = Set(Event.allCases), channelPrefix: String? = nil, channelSuffix: String? = nil,
        batches: Bool = false, headers: [String: String] = [:]
    ) {
        self.url = url
        self.events = events
        self.channelPrefix = channelPrefix
        self.channelSuffix = channelSuffix
        self.batches = batches
        self.headers = headers
    }
}
