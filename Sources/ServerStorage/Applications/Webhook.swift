/// A receiver of events about an application's channels.
public struct Webhook: Hashable, Sendable {
    /// The kinds of events.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// A channel has its first subscription.
        case channelOccupied = "channel_occupied"
        /// A channel has lost its last subscription.
        case channelVacated = "channel_vacated"
        /// A user joined a presence channel.
        case memberAdded = "member_added"
        /// A user left a presence channel.
        case memberRemoved = "member_removed"
        /// A client sent an event.
        case clientEvent = "client_event"
        /// A client subscribed to a cache channel that has no event.
        case cacheMiss = "cache_miss"
        /// The number of subscriptions of a channel changed.
        case subscriptionCount = "subscription_count"
    }

    /// The receiver's address, with `http` or `https`.
    public var url: String
    /// The kinds of events to send.
    public var events: Set<Event>
    /// Sends events only of channels whose name begins with this; nil for all.
    public var channelPrefix: String?
    /// Sends events only of channels whose name ends with this; nil for all.
    public var channelSuffix: String?
    /// Whether one request may contain several events.
    public var batches: Bool
    /// Header fields added to every request, such as an access token.
    public var headers: [String: String]

    /// A receiver of events.
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
