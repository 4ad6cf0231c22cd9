/// A rate limit as a value: `burst` tokens at first, refilled steadily at `perSecond`.
///
/// Source: Pusher protocol, "Client events" (10 messages a second for each connection, rule HB-9).
public struct TokenBucket: Hashable, Sendable {
    /// Tokens left, in billionths, so that refilling needs no floating point and loses nothing.
    private var nanotokens: Int64
    private var filled: HubInstant

    /// A full bucket. `burst` is clamped to 0 ... 1,000,000.
    public init(burst: Int, at now: HubInstant) {
        nanotokens = Int64(min(max(burst, 0), 1_000_000)) * 1_000_000_000
        filled = now
    }

    /// Takes one token and says whether there was one.
    ///
    /// `perSecond` and `burst` come with each call because a connection shares them with its application; they are clamped to
    /// 0 ... 1,000,000. A clock that stands still or goes back refills nothing.
    public mutating func take(perSecond: Int, burst: Int, at now: HubInstant) -> Bool {
        let capacity = Int64(min(max(burst, 0), 1_000_000)) * 1_000_000_000
        let rate = Int64(min(max(perSecond, 0), 1_000_000))
        if now > filled {
            let elapsed = now.nanoseconds - filled.nanoseconds
            let (added, overflow) = elapsed.multipliedReportingOverflow(by: rate)
            let (sum, carried) = nanotokens.addingReportingOverflow(added)
            nanotokens = overflow || carried ? capacity : min(capacity, sum)
            filled = now
        }
        guard nanotokens >= 1_000_000_000 else { return false }
        nanotokens -= 1_000_000_000
        return true
    }
}
