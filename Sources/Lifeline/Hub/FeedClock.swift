import ConnectionEngine

/// The clock of a client's sequences. It estimates the earliest time of publication from a message's time of arrival.
struct FeedClock: Sendable {
    let now: @Sendable () -> Moment
    /// The longest time for which a live connection can delay a message: the permitted silence plus the time limit of a probe.
    let allowance: Duration

    /// The earliest time at which a message that arrives after `moment` can have been published: `moment` minus the allowance (rule LL-8).
    /// A gap begins at this time.
    func publishedBefore(_ moment: Moment) -> Moment {
        moment + (.zero - allowance)
    }
}
