import ServerValues

/// The last message of a cache channel (rule HB-6).
public struct CachedMessage: Hashable, Sendable {
    /// The event's name.
    public var event: String
    /// The data exactly as published.
    public var data: String
    /// When the channel drops the message.
    public var expires: MonotonicInstant

    /// Makes a value with these properties.
    public init(event: String, data: String, expires: MonotonicInstant) {
        self.event = event
        self.data = data
        self.expires = expires
    }
}
