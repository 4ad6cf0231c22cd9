/// A rate limit as a value: a bucket with `burst` tokens at first, to which `perSecond` tokens per second are added.
///
/// Source: Pusher protocol, "Client events" (10 messages per second for each connection, rule HB-9).
package struct TokenBucket: Hashable, Sendable {
    /// The number of tokens in the bucket, in billionths, so that refilling is exact without floating point.
    private var nanotokens: Int64
    private var filled: MonotonicInstant

    /// Makes a full bucket. `burst` is clamped to 0 ... 1,000,000.
    package init(burst: Int, at now: MonotonicInstant) {
        nanotokens = Int64(min(max(burst, 0), 1_000_000)) * 1_000_000_000
        filled = now
    }

    /// Takes one token. Returns false when the bucket has none.
    ///
    /// `perSecond` and `burst` are arguments of each call and not stored, because they are the same for all connections of an application.
    /// They are clamped to 0 ... 1,000,000. A clock that stands still or goes back adds no tokens.
    package mutating func take(perSecond: Int, burst: Int, at now: MonotonicInstant) -> Bool {
        refill(perSecond: perSecond, burst: burst, at: now)
        guard nanotokens >= 1_000_000_000 else { return false }
        nanotokens -= 1_000_000_000
        return true
    }

    /// Takes several tokens at once and returns zero, or takes none and returns the time until enough are available.
    ///
    /// More than `burst` tokens are taken only from a full bucket, whose count then becomes negative, so that later calls wait longer. With
    /// limits of zero no tokens are ever available, and the returned time is a day.
    package mutating func take(_ count: Int, perSecond: Int, burst: Int, at now: MonotonicInstant) -> Duration {
        let capacity = refill(perSecond: perSecond, burst: burst, at: now)
        let cost = Int64(min(max(count, 0), 1_000_000)) * 1_000_000_000
        let needed = min(cost, capacity)
        if nanotokens >= needed, needed == cost || capacity > 0 {
            nanotokens -= cost
            return .zero
        }
        guard perSecond > 0, capacity > 0 else { return .seconds(86_400) }
        let rate = Int64(min(perSecond, 1_000_000))
        return .nanoseconds((needed - nanotokens + rate - 1) / rate)
    }

    /// Adds the tokens for the time since the previous call. Returns the capacity of the bucket, in billionths of a token.
    @discardableResult
    private mutating func refill(perSecond: Int, burst: Int, at now: MonotonicInstant) -> Int64 {
        let capacity = Int64(min(max(burst, 0), 1_000_000)) * 1_000_000_000
        let rate = Int64(min(max(perSecond, 0), 1_000_000))
        if now > filled {
            let elapsed = now.nanoseconds - filled.nanoseconds
            let (added, overflow) = elapsed.multipliedReportingOverflow(by: rate)
            let (sum, carried) = nanotokens.addingReportingOverflow(added)
            nanotokens = overflow || carried ? capacity : min(capacity, sum)
            filled = now
        }
        return capacity
    }
}
