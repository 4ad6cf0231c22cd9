import ConnectionEngine

/// The connections of a link.
package enum RedisLane: Hashable, Sendable, CaseIterable {
    /// Commands and scripts.
    case commands
    /// Subscriptions and the messages that come by them.
    case messages
}

/// How a connection of a link is.
package enum RedisLinkStatus: Hashable, Sendable {
    case connecting
    case ready(RedisServer)
    /// There is no connection, or the server cannot answer yet; with the cause and the time until the next attempt.
    case waiting(RedisLoss, Duration)
    /// No further attempt is made until one is requested.
    case stopped(RedisLoss)
}

/// A link's report to its owner; all are in one order.
package enum RedisLinkEvent: Hashable, Sendable {
    case status(RedisLane, RedisLinkStatus)
    /// Messages may be missing from here on. Comes before every message that follows the loss.
    case interrupted(RedisLoss)
    /// Every subscription is confirmed again, or for the first time. What was published meanwhile can be read now: from here on
    /// messages are complete.
    case restored
    case message(RedisMessage)
    /// The server has ended a subscription by itself.
    case unsubscribed(RedisChannel)
}

/// How a link behaves.
package struct RedisLinkPolicy: Hashable, Sendable {
    /// Pauses between attempts of one connection.
    package var retry: RetrySchedule
    /// Pauses between attempts after a final cause, such as a wrong password. Nil for a link that stops instead.
    package var persistence: RetrySchedule?
    /// How long a connection has to be ready for failures to be counted anew.
    package var steady: Duration
    /// How long a server that is loading or busy is left alone.
    package var hold: Duration
    /// The time limit for confirming all subscriptions after a reconnect.
    package var restoring: Duration
    /// Commands that wait to be sent or answered.
    package var commands: Int
    /// Bytes of these commands.
    package var bytes: Int
    /// How often Sentinels or a cluster are asked where the master is.
    package var looking = Duration.seconds(5)
    /// The interval at which Sentinels are queried while none of them announces changes.
    package var lookingUntold = Duration.seconds(1)
    /// Nil for a link without subscriptions.
    package var probe: Probe?

    /// Checks whether published messages arrive.
    package struct Probe: Hashable, Sendable {
        /// A channel of this link alone.
        package var channel: RedisChannel
        /// A probe is published when no message has come for this long,
        package var idle: Duration
        /// or when the last probe is older than this.
        package var interval: Duration
        /// How long a probe may take when no other message comes either.
        package var patience: Duration
        /// The greatest total time of a probe.
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
