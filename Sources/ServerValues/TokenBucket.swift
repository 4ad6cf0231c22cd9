/// A rate limit as a value: `burst` tokens at first, refilled steadily at `perSecond`.
///
/// Source: Pusher protocol, "Client events" (10 messages a second for each connection, rule HB-9).
package struct TokenBucket: Hashable, Sendable {
    /// Tokens left, in billionths, so that refilling needs no floating point and loses nothing.
    private var nanotokens: Int64
    private var filled: MonotonicInstant

    /// A full bucket. `burst` is clamped to 0 ... 1,000,000.
    package init(burst: Int, at now: MonotonicInstant) {
        nanotokens = Int64(min(max(burst, 0), 1_000_000)) * 1_000_000_000
        filled = now
    }

    /// Takes one token. Returns false when there was none.
    ///
    /// `perSecond` and `burst` come with each call because a connection shares them with its application; they are clamped to
    /// 0 ... 1,000,000. A clock that stands still or goes back refills nothing.
    package mutating func take(perSecond: Int, burst: Int, at now: MonotonicInstant) -> Bool {
        refill(perSecond: perSecond, burst: burst, at: now)
        guard nanotokens >= 1_000_000_000 else { return false }
        nanotokens -= 1_000_000_000
        return true
    }

    /// Takes several tokens at once and returns zero, or takes none and returns the time until they are available.
    ///
    /// More than a whole burst are given when the bucket is full, and then owed: the next ones come so much later. With limits of
    /// zero nothing is ever given, and the wait is a day.
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

    /// Adds the tokens of the elapsed time and returns the greatest number of tokens.
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
