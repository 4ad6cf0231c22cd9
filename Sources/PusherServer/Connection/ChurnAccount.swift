import ServerValues

/// The cost that a connection has caused to other clients by ending subscriptions, reduced over time (rule SP-64).
///
/// Each end of a subscription is reported to the remaining subscribers, as a changed count or as a member who has left. A client that joins
/// and leaves repeatedly causes traffic for every subscriber, so it has to wait before it may join again. Ending a subscription is never
/// refused.
struct ChurnAccount: Hashable, Sendable {
    /// The cost of ending a subscription to a presence channel. Other channels cost 1; presence costs more, because every member gets a
    /// message about each leaving.
    static let presenceCost = 10
    /// The balance (the cost that is not forgiven yet) from which on a connection may not subscribe.
    static let credit = 1_000
    static let forgivenPerSecond = 100
    /// The largest balance: the credit, plus the amount that is forgiven in a minute.
    static let most = credit + 60 * forgivenPerSecond

    /// The balance, in billionths of a unit, so that the reduction over short times is exact.
    private var owed: Int64 = 0
    private var settled: MonotonicInstant

    init(at now: MonotonicInstant) {
        settled = now
    }

    mutating func charge(_ cost: Int, at now: MonotonicInstant) {
        settle(at: now)
        owed = min(owed + Int64(cost) * 1_000_000_000, Int64(Self.most) * 1_000_000_000)
    }

    mutating func allowsSubscribing(at now: MonotonicInstant) -> Bool {
        settle(at: now)
        return owed < Int64(Self.credit) * 1_000_000_000
    }

    /// Reduces the balance for the time that has passed. If the clock stands still or goes back, the balance does not change.
    private mutating func settle(at now: MonotonicInstant) {
        guard now > settled else { return }
        let elapsed = now.nanoseconds - settled.nanoseconds
        let (forgiven, overflow) = elapsed.multipliedReportingOverflow(by: Int64(Self.forgivenPerSecond))
        owed = overflow ? 0 : max(owed - forgiven, 0)
        settled = now
    }
}
