import ConnectionEngine
import Identifiers

/// A moment, measured by both clocks of an outbox: the monotonic clock and the time of day.
struct OutboxInstant: Hashable, Sendable {
    /// The moment on the monotonic clock, which pauses while a machine sleeps.
    var moment: Moment
    /// The time of day in seconds since 1970. Users and networks may change this clock.
    var unixSeconds: Int64

    /// The time that has passed since `earlier`, by the clock that advanced further. A clock that was set back or has paused shows too
    /// little.
    func duration(since earlier: OutboxInstant) -> Duration {
        let (seconds, overflow) = unixSeconds.subtractingReportingOverflow(earlier.unixSeconds)
        return max(moment.duration(since: earlier.moment), overflow ? .zero : .seconds(seconds))
    }

    /// The instant that belongs to an earlier time of day, such as a time that was stored before a restart.
    ///
    /// - Returns: nil when `earlier` is more than `correction` in the future, which means that the clock was set back.
    func before(unixSeconds earlier: Int64) -> OutboxInstant? {
        let (passed, overflow) = unixSeconds.subtractingReportingOverflow(earlier)
        guard !overflow, passed >= -Self.correction else { return nil }
        return OutboxInstant(moment: moment + (.zero - .seconds(max(passed, 0))), unixSeconds: earlier)
    }

    /// The largest change of the time of day, in seconds, that counts as a normal correction.
    private static let correction: Int64 = 60
}

/// A message of an outbox: its stored record, and state that exists only in this process.
struct OutboxItem: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// The message is being written to disk. It is sent only after the write has succeeded.
        case saving
        /// The message waits in the queue of its channel.
        case waiting
        /// The store is recording that an attempt to send the message begins.
        case marking
        /// The message is being sent. `isCut` is true when its lifetime has ended and the attempt was cancelled.
        case sending(isCut: Bool)
        /// Sending the message has failed. The message stays in the outbox until the app retries or cancels it.
        case failed
    }

    var record: OutboxRecord
    var phase: Phase
    /// When the message's lifetime began: when it was enqueued, or retried last.
    var enqueued: OutboxInstant
    /// When the message may have been sent for the first time. Nil when it certainly was not sent. Also nil when the app has requested a
    /// retry that the service may not recognise as a repetition; the message then counts as new.
    var firstSent: OutboxInstant?

    var id: Identifier { Identifier(record.id) }
    var channel: Identifier { Identifier(record.channel) }
    var bytes: Int { record.json.utf8.count + record.channel.utf8.count + record.event.utf8.count }
    var lifetime: Duration { .seconds(record.lifetime) }
    /// The end of the message's lifetime on the monotonic clock.
    var deadline: Moment { enqueued.moment + lifetime }
    /// When an attempt in progress is cancelled: the deadline plus ``patience``.
    var cutoff: Moment { deadline + Self.patience }

    /// How long after its deadline a message that is being sent may still wait for the service's answer.
    static let patience = Duration.seconds(30)

    func isExpired(at now: OutboxInstant) -> Bool { now.duration(since: enqueued) >= lifetime }

    var isOnItsWay: Bool {
        switch phase {
        case .marking, .sending: true
        case .saving, .waiting, .failed: false
        }
    }

    /// The state that the app gets in an ``OutboxEntry``.
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

    private static let noReason = LifelineError(
        .init(.unknown), "The message has failed, and its stored record does not contain the reason.")
}

/// The queue of one channel. Its messages are sent one after the other.
struct OutboxLine: Hashable, Sendable {
    /// The ids of the waiting messages in order, without the one that is being sent.
    var waiting: [Identifier] = []
    /// The id of the message that is being sent; nil while none is being sent.
    var current: Identifier?
    /// How many sending attempts of the channel have failed in a row.
    var failures = 0
    /// Until when no message of the channel is sent; nil without a pause.
    var pausedUntil: Moment?
    /// Whether the service has requested the present pause.
    var isAskedToWait = false
    /// Whether the channel is in the list `ready` of channels to process next.
    var isReady = false
}
