/// The event names that the protocol defines. Pusher protocol, Events.
public enum PusherEventName {
    public static let connectionEstablished = "pusher:connection_established"
    public static let error = "pusher:error"
    public static let ping = "pusher:ping"
    public static let pong = "pusher:pong"
    public static let subscribe = "pusher:subscribe"
    public static let unsubscribe = "pusher:unsubscribe"
    public static let signin = "pusher:signin"
    public static let signinSuccess = "pusher:signin_success"
    public static let cacheMiss = "pusher:cache_miss"
    /// An event that some servers send, although it is not in the protocol.
    public static let subscriptionError = "pusher:subscription_error"
    public static let subscriptionSucceeded = "pusher_internal:subscription_succeeded"
    public static let memberAdded = "pusher_internal:member_added"
    public static let memberRemoved = "pusher_internal:member_removed"
    public static let subscriptionCount = "pusher_internal:subscription_count"
    public static let watchlistEvents = "pusher_internal:watchlist_events"

    /// The prefix of the names of client events.
    public static let clientPrefix = "client-"

    /// Whether the name is reserved for the protocol. Events with such names are never encrypted.
    public static func isReserved(_ name: String) -> Bool {
        name.utf8.starts(with: "pusher:".utf8) || name.utf8.starts(with: "pusher_internal:".utf8)
    }

    /// Whether the name is a client event's name, which begins with `client-`.
    public static func isClientEvent(_ name: String) -> Bool {
        name.utf8.starts(with: clientPrefix.utf8)
    }
}
