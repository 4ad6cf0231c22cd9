import ServerValues

/// The last message of a cache channel (rule HB-6).
package struct CachedMessage: Hashable, Sendable {
    /// The event's name.
    package var event: String
    /// The data exactly as published.
    package var data: String
    /// When the channel drops the message.
    package var expires: MonotonicInstant

    /// Makes a value with these properties.
    package init(event: String, data: String, expires: MonotonicInstant) {
        self.event = event
        self.data = data
        self.expires = expires
    }
}
