import ConnectionEngine

/// The connections of a link, by their purpose.
package enum RedisLane: Hashable, Sendable, CaseIterable {
    /// Commands and scripts.
    case commands
    /// The connection for subscriptions and their messages.
    case messages
}

/// The status of a link's connection.
package enum RedisLinkStatus: Hashable, Sendable {
    case connecting
    case ready(RedisServer)
    /// There is no connection, or the server cannot answer yet. Contains the cause and the time until the next attempt.
    case waiting(RedisLoss, Duration)
    /// No further attempt to connect is made until ``RedisLink/start()`` or ``RedisLink/renew(_:)`` is called.
    case stopped(RedisLoss)
}

/// An event of a link for its owner. The events of both connections are reported in the order in which they occur.
package enum RedisLinkEvent: Hashable, Sendable {
    case status(RedisLane, RedisLinkStatus)
    /// Messages may be missing from now on. This event comes before all messages that are received after the missing ones.
    case interrupted(RedisLoss)
    /// All subscriptions are confirmed, for the first time or after a reconnect. From now on no message is missed. The owner can now read
    /// what was published during the interruption.
    case restored
    case message(RedisMessage)
    /// The server has ended a subscription without a request.
    case unsubscribed(RedisChannel)
}

/// The intervals and limits of a link.
package struct RedisLinkPolicy: Hashable, Sendable {
    /// The pauses between a connection's attempts to connect.
    package var retry: RetrySchedule
    /// The pauses between attempts after a final cause, such as a wrong password. Nil for a link that stops after such a cause.
    package var persistence: RetrySchedule?
    /// How long a connection has to be ready before its count of failures is reset.
    package var steady: Duration
    /// How long no command is sent to a server that is loading its data or busy.
    package var hold: Duration
    /// The time limit for the confirmation of all subscriptions after a reconnect.
    package var restoring: Duration
    /// The largest number of commands that wait to be sent or answered.
    package var commands: Int
    /// The largest total size in bytes of the commands that wait to be sent or answered.
    package var bytes: Int
    /// The interval at which Sentinels or cluster nodes are queried for the address of the master.
    package var looking = Duration.seconds(5)
    /// The interval at which Sentinels are queried while no Sentinel's announcements can be received.
    package var lookingUntold = Duration.seconds(1)
    /// The settings of probes; nil for a link without subscriptions, which needs no probes.
    package var probe: Probe?

    /// The settings of probes, which test whether published messages arrive.
    package struct Probe: Hashable, Sendable {
        /// The channel of the probes, which only this link uses.
        package var channel: RedisChannel
        /// A probe is published when no message has arrived for this time.
        package var idle: Duration
        /// A probe is also published when this time has passed since the last one was published, even if messages arrive.
        package var interval: Duration
        /// How long a probe may take to arrive while no other message arrives. After that, the connection for messages is closed.
        package var patience: Duration
        /// How long a probe may be under way at most, even if other messages arrive.
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
