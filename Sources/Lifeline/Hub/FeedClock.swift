import ConnectionEngine

/// The clock of the sequences, which estimates the earliest time of publication from the time of arrival.
struct FeedClock: Sendable {
    let now: @Sendable () -> Moment
    /// The longest time for which a link that counts as alive can delay a message: the permitted silence plus the time limit of a probe.
    let allowance: Duration

    /// Rule LL-8: a message that follows one received at `moment` may have been published earlier than that, so a gap reaches
    /// back by the allowance.
    func publishedBefore(_ moment: Moment) -> Moment {
        moment + (.zero - allowance)
    }
}
