/// What one service tells and the others have no word for. For tools and logs, in ``ClientEvents``.
public struct ServiceNotice: Hashable, Sendable {
    /// What it is about. An open set: switch over it with a `default`.
    public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for it, as in logs.
        public let rawValue: String

        /// One that this version may not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same as ``rawValue``.
        public var description: String { rawValue }

        /// Pusher: a cache channel was subscribed and had no event to begin with. No data.
        public static let cacheMissed = Name(rawValue: "cacheMissed")
        /// Pusher: how many connections are subscribed to the channel: `{"count":3}`.
        public static let subscriptionCount = Name(rawValue: "subscriptionCount")
        /// Pusher: the server confirmed the client's user, on each connection: `{"user":"ann"}`.
        public static let signedIn = Name(rawValue: "signedIn")
        /// Pusher: users of the watchlist came online: `{"users":["ben"]}`.
        public static let usersOnline = Name(rawValue: "usersOnline")
        /// Pusher: users of the watchlist went offline: `{"users":["ben"]}`.
        public static let usersOffline = Name(rawValue: "usersOffline")
    }

    /// What it is about.
    public var name: Name
    /// The channel that it is about, or nil.
    public var channel: String?
    /// JSON text, as the name says, or nil.
    public var data: String?

    /// A notice, such as for tests of your own code.
    public init(_ name: Name, channel: String? = nil, data: String? = nil) {
        self.name = name
        self.channel = channel
        self.data = data
    }
}
