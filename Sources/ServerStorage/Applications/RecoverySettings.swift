/// How many events of a channel are stored, so that a connection that reconnects gets the events that it missed (rule RV-10).
///
/// A limit of zero or less disables recovery for the application.
public struct RecoverySettings: Hashable, Sendable {
    /// The largest number of stored events of one channel.
    public var messages: Int
    /// How long an event is stored, and how long a channel without subscribers keeps its events.
    public var lifetime: Duration
    /// The largest size, in bytes, of the stored events of all channels of the application.
    public var bytes: Int
    /// Whether events that clients send are stored, and not only the events that the application's servers publish.
    public var includesClientEvents: Bool

    /// Makes settings; by default 100 events of each channel for two minutes, 64 MiB for all channels, and no client events.
    public init(
        messages: Int = 100, lifetime: Duration = .seconds(120), bytes: Int = 67_108_864, includesClientEvents: Bool = false
    ) {
        self.messages = messages
        self.lifetime = lifetime
        self.bytes = bytes
        self.includesClientEvents = includesClientEvents
    }

    /// Whether recovery is enabled: all limits are greater than zero.
    public var isEnabled: Bool { messages > 0 && lifetime > .zero && bytes > 0 }
}
