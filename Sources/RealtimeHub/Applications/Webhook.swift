/// A receiver of an application's own that is told what happens on its channels.
public struct Webhook: Hashable, Sendable {
    /// What can be told. Pusher documentation, Webhooks.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        case channelOccupied = "channel_occupied"
        case channelVacated = "channel_vacated"
        case memberAdded = "member_added"
        case memberRemoved = "member_removed"
        case clientEvent = "client_event"
        case cacheMiss = "cache_miss"
        case subscriptionCount = "subscription_count"
    }

    /// Where requests go: `http` or `https`.
    public var url: String
    /// What this receiver wants to hear of.
    public var events: Set<Event>
    /// Only channels whose name begins so; nil for all.
    public var channelPrefix: String?
    /// Only channels whose name ends so; nil for all.
    public var channelSuffix: String?
    /// Whether several events may come in one request. Otherwise each has its own.
    public var batches: Bool
    /// Header fields added to every request, such as an access token.
    public var headers: [String: String]

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
