/// The last message of a cache channel (rule HB-6).
public struct CachedMessage: Hashable, Sendable {
    public var event: String
    /// The data exactly as published.
    public var data: String
    public var expires: MonotonicInstant

    public init(event: String, data: String, expires: MonotonicInstant) {
        self.event = event
        self.data = data
        self.expires = expires
    }
}
