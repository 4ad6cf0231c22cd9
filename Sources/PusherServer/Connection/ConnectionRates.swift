import ServerValues

/// Rate limits of one connection for operations that cause costs for other clients.
struct ConnectionRates: Sendable {
    private var clientEvents: TokenBucket?
    private var subscribing: TokenBucket?
    private var churn: ChurnAccount?
    private var signIns: TokenBucket?

    /// The number of attempts to subscribe that a connection may make per second, in addition to the initial burst (rule SP-21).
    static let subscribesPerSecond = 100
    /// The number of verified sign-ins that a connection may make at once; one more is allowed each second (rule SP-65).
    static let signInsAtOnce = 10

    mutating func takeClientEvent(perSecond: Int, at now: MonotonicInstant) -> Bool {
        var bucket = clientEvents ?? TokenBucket(burst: perSecond, at: now)
        defer { clientEvents = bucket }
        return bucket.take(perSecond: perSecond, burst: perSecond, at: now)
    }

    mutating func takeSignIn(at now: MonotonicInstant) -> Bool {
        var bucket = signIns ?? TokenBucket(burst: Self.signInsAtOnce, at: now)
        defer { signIns = bucket }
        return bucket.take(perSecond: 1, burst: Self.signInsAtOnce, at: now)
    }

    /// Adds the cost of ending a subscription to the connection's balance (rule SP-64).
    mutating func chargeForEnd(isPresence: Bool, at now: MonotonicInstant) {
        var account = churn ?? ChurnAccount(at: now)
        defer { churn = account }
        account.charge(isPresence ? ChurnAccount.presenceCost : 1, at: now)
    }

    /// Whether the connection's balance for ended subscriptions allows it to subscribe again.
    mutating func allowsJoining(at now: MonotonicInstant) -> Bool {
        churn?.allowsSubscribing(at: now) ?? true
    }

    /// Counts an attempt to subscribe; returns false when it exceeds the rate.
    ///
    /// - Parameter burst: the number of channels that a connection may have, because a client that reconnects subscribes to all of them at
    ///   once.
    mutating func takeSubscribe(burst: Int, at now: MonotonicInstant) -> Bool {
        var bucket = subscribing ?? TokenBucket(burst: burst, at: now)
        defer { subscribing = bucket }
        return bucket.take(perSecond: Self.subscribesPerSecond, burst: burst, at: now)
    }
}
