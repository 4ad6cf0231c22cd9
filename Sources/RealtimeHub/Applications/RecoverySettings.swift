/// How much of a channel's events is kept, so that a connection which comes back gets the events that it missed (rule RV-10).
///
/// A limit of zero or less switches recovery off for the application.
public struct RecoverySettings: Hashable, Sendable {
    /// How many events of one channel are kept.
    public var messages: Int
    /// How long an event is kept, and how long a channel without subscribers keeps any.
    public var lifetime: Duration
    /// How much memory the kept events of all channels of the application may take.
    public var bytes: Int
    /// Whether events that clients send to each other are kept as well.
    public var includesClientEvents: Bool

    /// Settings; by default 100 events of each channel for two minutes, 64 MiB of all, and no events of clients.
    public init(
        messages: Int = 100, lifetime: Duration = .seconds(120), bytes: Int = 67_108_864, includesClientEvents: Bool = false
    ) {
        self.messages = messages
        self.lifetime = lifetime
        self.bytes = bytes
        self.includesClientEvents = includesClientEvents
    }

    /// Whether connections may ask for recovery.
    public var isEnabled: Bool { messages > 0 && lifetime > .zero && bytes > 0 }
}
