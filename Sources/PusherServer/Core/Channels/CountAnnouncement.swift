import ServerValues

/// Decides when subscribers of a channel receive the subscription count.
///
/// Up to 100 subscriptions, every change is published. Above, at most one change in 5 s is published, and the last change is always
/// published. Source: Pusher protocol, "pusher_internal:subscription_count" (rule HB-7).
struct CountAnnouncement: Hashable, Sendable {
    static let unlimitedUpTo = 100
    static let interval = Duration.seconds(5)

    private var announced: MonotonicInstant?
    private(set) var isHeldBack = false

    /// Records a changed count. Returns whether to publish the count at once. If it returns false, ``release(at:)`` returns true when the
    /// count has to be published.
    mutating func changed(to count: Int, at now: MonotonicInstant) -> Bool {
        if count > Self.unlimitedUpTo, let announced, now < announced.advanced(by: Self.interval) {
            isHeldBack = true
            return false
        }
        announced = now
        isHeldBack = false
        return true
    }

    /// Returns whether a delayed change of the count has to be published now.
    mutating func release(at now: MonotonicInstant) -> Bool {
        guard isHeldBack, let announced, now >= announced.advanced(by: Self.interval) else { return false }
        self.announced = now
        isHeldBack = false
        return true
    }
}
