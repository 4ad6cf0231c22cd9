import ConnectionEngine

/// The connections of a link.
package enum RedisLane: Hashable, Sendable, CaseIterable {
    /// Commands and scripts.
    case commands
    /// Subscriptions and their messages.
    case messages
}

/// The status of a link's connection.
package enum RedisLinkStatus: Hashable, Sendable {
    case connecting
    case ready(RedisServer)
    /// There is no connection, or the server cannot answer yet; with the cause and the time until the next attempt.
    case waiting(RedisLoss, Duration)
    /// No further attempt is made until one is requested.
    case stopped(RedisLoss)
}

/// An event of a link for its owner; all events are in one order.
package enum RedisLinkEvent: Hashable, Sendable {
    case status(RedisLane, RedisLinkStatus)
    /// Messages may be missing from here on. Reported before every message that follows the loss.
    case interrupted(RedisLoss)
    /// All subscriptions are confirmed, initially or after a reconnect. Messages that were published in the meantime can be read
    /// now, and from here on messages are complete.
    case restored
    case message(RedisMessage)
    /// The server has ended a subscription by itself.
    case unsubscribed(RedisChannel)
}

/// The intervals and limits of a link.
package struct RedisLinkPolicy: Hashable, Sendable {
    /// The backoff between attempts of one connection.
    package var retry: RetrySchedule
    /// The backoff after a final cause, such as a wrong password. Nil for a link that stops instead.
    package var persistence: RetrySchedule?
    /// How long a connection has to be ready before the count of failures is reset.
    package var steady: Duration
    /// How long nothing is sent to a server that is loading or busy.
    package var hold: Duration
    /// The time limit for confirming all subscriptions after a reconnect.
    package var restoring: Duration
    /// The largest number of commands that wait to be sent or answered.
    package var commands: Int
    /// The largest number of bytes of these commands.
    package var bytes: Int
    /// The interval in which Sentinels or a cluster are asked for the address of the master.
    package var looking = Duration.seconds(5)
    /// The interval at which Sentinels are queried while none of them announces changes.
    package var lookingUntold = Duration.seconds(1)
    /// The probe settings; nil for a link without subscriptions.
    package var probe: Probe?

    /// The settings for testing whether published messages arrive.
    package struct Probe: Hashable, Sendable {
        /// A channel that only this link uses.
        package var channel: RedisChannel
        /// A probe is published when no message has arrived for this time,
        package var idle: Duration
        /// or when the last probe is older than this.
        package var interval: Duration
        /// The time limit of a probe when no other message arrives either.
        package var patience: Duration
        /// The largest total time limit of a probe.
        package var longest: Duration

        package init(
            channel: RedisChannel, idle: Duration = .seconds(2), interval: Duration = .seconds(10),
            patience: Duration = .seconds(2),
            longest: Duration = .seconds(30)
        ) {
            self.channel = channel
            self.idle = idle
            self.interval = interval
            self.patience = patience
            self.longest = longest
        }
    }

    package init(
        retry: RetrySchedule = .jittered(first: .milliseconds(50), base: .milliseconds(100), cap: .seconds(2), atLeast: .zero),
        persistence: RetrySchedule? = nil, steady: Duration = .seconds(5), hold: Duration = .milliseconds(250),
        restoring: Duration = .seconds(10),
        commands: Int = 10_000, bytes: Int = 67_108_864,
        probe: Probe? = nil
    ) {
        self.retry = retry
        self.persistence = persistence
        self.steady = steady
        self.hold = hold
        self.restoring = restoring
        self.commands = commands
        self.bytes = bytes
        self.probe = probe
    }
}
