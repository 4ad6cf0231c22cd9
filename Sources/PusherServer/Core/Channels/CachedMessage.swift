import ServerValues

/// The last message of a cache channel (rule HB-6).
package struct CachedMessage: Hashable, Sendable {
    /// The event's name.
    package var event: String
    /// The data exactly as published.
    package var data: String
    /// The time at which the message expires and is removed from the channel.
    package var expires: MonotonicInstant

    /// Makes a message from the event's name and data and its time of expiry.
    package init(event: String, data: String, expires: MonotonicInstant) {
        self.event = event
        self.data = data
        self.expires = expires
    }
}
