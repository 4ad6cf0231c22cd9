import ConnectionEngine
import Identifiers

/// The present time by both clocks of an outbox.
struct OutboxInstant: Hashable, Sendable {
    /// By the monotonic clock, which pauses while a machine sleeps.
    var moment: Moment
    /// By the time of day, which users and networks set; seconds since 1970.
    var unixSeconds: Int64

    /// How much time has passed, by the clock that advanced further, because a clock that was set back or that stood still shows none.
    func duration(since earlier: OutboxInstant) -> Duration {
        let (seconds, overflow) = unixSeconds.subtractingReportingOverflow(earlier.unixSeconds)
        return max(moment.duration(since: earlier.moment), overflow ? .zero : .seconds(seconds))
    }

    /// The instant at which the time of day had this value, as far as it can be derived after a restart.
    ///
    /// - Returns: nil when the value lies in the future by more than `correction`, which means that the clock was set back.
    func before(unixSeconds earlier: Int64) -> OutboxInstant? {
        let (passed, overflow) = unixSeconds.subtractingReportingOverflow(earlier)
        guard !overflow, passed >= -Self.correction else { return nil }
        return OutboxInstant(moment: moment + (.zero - .seconds(max(passed, 0))), unixSeconds: earlier)
    }

    /// Small corrections of the time of day, in seconds.
    private static let correction: Int64 = 60
}

/// A message of an outbox, with state that is used in this process only.
struct OutboxItem: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// The message is being written to disk, and is sent only after that.
        case saving
        /// The message waits behind other messages of its channel.
        case waiting
        /// The store is recording that the sending of the message begins.
        case marking
        /// The message is being sent. `isCut` is true when its lifetime has ended and the attempt was cancelled.
        case sending(isCut: Bool)
        /// The sending has failed. The message stays in the outbox unless the app retries or cancels it.
        case failed
    }

    var record: OutboxRecord
    var phase: Phase
    /// When its lifetime began.
    var enqueued: OutboxInstant
    /// When it may have been sent for the first time. Nil when it certainly was not sent, or when the app has requested the repetition.
    var firstSent: OutboxInstant?

    var id: Identifier { Identifier(record.id) }
    var channel: Identifier { Identifier(record.channel) }
    var bytes: Int { record.json.utf8.count + record.channel.utf8.count + record.event.utf8.count }
    var lifetime: Duration { .seconds(record.lifetime) }
    /// The end of its lifetime by the monotonic clock.
    var deadline: Moment { enqueued.moment + lifetime }
    /// The time limit of an attempt in progress.
    var cutoff: Moment { deadline + Self.patience }

    /// How long a message that is being sent at its deadline still waits for its answer.
    static let patience = Duration.seconds(30)

    func isExpired(at now: OutboxInstant) -> Bool { now.duration(since: enqueued) >= lifetime }

    var isOnItsWay: Bool {
        switch phase {
        case .marking, .sending: true
        case .saving, .waiting, .failed: false
        }
    }

    /// The state as the app sees it.
    var state: OutboxEntry.State {
        switch phase {
        case .saving, .waiting: .waiting
        case .marking, .sending: .sending
        case .failed:
            switch record.state {
            case .refused: .refused(record.error ?? Self.noReason)
            case .expired: .expired
            case .unknown, .waiting, .sending: .unknown(record.error ?? Self.noReason)
            }
        }
    }

    private static let noReason = LifelineError(.init(.unknown), "The reason was not kept.")
}

/// The messages of one channel, which are sent one after the other.
struct OutboxLine: Hashable, Sendable {
    /// The waiting messages in order, without the one that is being sent.
    var waiting: [Identifier] = []
    /// The message that is being sent.
    var current: Identifier?
    /// How many attempts in a row have failed.
    var failures = 0
    /// The time until which nothing is sent.
    var pausedUntil: Moment?
    /// Whether the service has requested the pause.
    var isAskedToWait = false
    /// Whether the line is among those that are processed next.
    var isReady = false
}
