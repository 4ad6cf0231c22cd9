/// An event that only one of the services has. For tools and logs, in ``ClientEvents``.
public struct ServiceNotice: Hashable, Sendable {
    /// The kinds of notices. More may be added: switch over a name with a `default`.
    public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The notice's identifier, such as `tokenRenewed`; it also appears in logs.
        public let rawValue: String

        /// Makes a name from its identifier. An identifier that this version does not define is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name as text: its ``rawValue``.
        public var description: String { rawValue }

        /// The client has renewed a token, or headers with a token. Data: `{"reason":"expiring"}`, with the raw value of a
        /// ``TokenRequest/Reason``.
        public static let tokenRenewed = Name(rawValue: "tokenRenewed")
        /// Pusher: a cache channel was subscribed and has no cached event. The notice has no data.
        public static let cacheMissed = Name(rawValue: "cacheMissed")
        /// Pusher: the number of connections that are subscribed to the channel. Data: `{"count":3}`.
        public static let subscriptionCount = Name(rawValue: "subscriptionCount")
        /// Pusher: the server confirmed the client's user; sent on each connection. Data: `{"user":"ann"}`.
        public static let signedIn = Name(rawValue: "signedIn")
        /// Pusher: users of the watchlist came online. Data: `{"users":["ben"]}`.
        public static let usersOnline = Name(rawValue: "usersOnline")
        /// Pusher: users of the watchlist went offline. Data: `{"users":["ben"]}`.
        public static let usersOffline = Name(rawValue: "usersOffline")
    }

    /// What the notice reports, such as ``Name/cacheMissed``.
    public var name: Name
    /// The channel that the notice concerns; nil for none.
    public var channel: String?
    /// The notice's data as JSON text, in the form that its ``Name`` documents; nil for none.
    public var data: String?

    /// Makes a notice, such as for tests of your own code.
    public init(_ name: Name, channel: String? = nil, data: String? = nil) {
        self.name = name
        self.channel = channel
        self.data = data
    }
}
