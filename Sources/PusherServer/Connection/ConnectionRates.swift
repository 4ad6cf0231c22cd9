import RealtimeHub

/// How fast one connection may do what costs others something.
struct ConnectionRates: Sendable {
    private var clientEvents: TokenBucket?
    private var subscribing: TokenBucket?

    /// Attempts to subscribe in a second, beyond those that a connection has at once (rule SP-21).
    static let subscribesPerSecond = 100

    mutating func takeClientEvent(perSecond: Int, at now: HubInstant) -> Bool {
        var bucket = clientEvents ?? TokenBucket(burst: perSecond, at: now)
        defer { clientEvents = bucket }
        return bucket.take(perSecond: perSecond, burst: perSecond, at: now)
    }

    /// - Parameter burst: as many channels as a connection may have, since after a loss it asks for all of them at once.
    mutating func takeSubscribe(burst: Int, at now: HubInstant) -> Bool {
        var bucket = subscribing ?? TokenBucket(burst: burst, at: now)
        defer { subscribing = bucket }
        return bucket.take(perSecond: Self.subscribesPerSecond, burst: burst, at: now)
    }
}
