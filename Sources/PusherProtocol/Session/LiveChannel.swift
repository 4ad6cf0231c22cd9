import ConnectionEngine

/// The state of a channel on the current connection, for a channel to which the application wants to be subscribed. The value holds no
/// references, because it is copied for every event and copies must be cheap.
struct LiveChannel: Sendable {
    enum Phase: Hashable, Sendable {
        /// An authorisation of the channel was requested. The phase ends when the authorisation job returns its result, or at `deadline`.
        case authorizing(JobID)
        /// The last attempt to subscribe failed; the next one starts at `deadline`.
        case waiting
        /// The channel was authorised for the signed-in user, but the server has not confirmed the sign-in yet. The phase ends with the
        /// sign-in or at `deadline`.
        case awaitingUser
        /// `pusher:subscribe` was sent. The phase ends with the server's confirmation or at `deadline`.
        case confirming
        case confirmed
        /// No further attempt to subscribe is made until the application requests the channel again or the next connection opens.
        case failed
    }

    let access: PusherChannelKind.Access
    var phase: Phase
    var deadline: Moment?
    /// The time at which the server last confirmed the subscription on this connection; nil before the first confirmation.
    var confirmedAt: Moment?
    /// Whether the latest `pusher:subscribe` requested missed events. The server sends them before the confirmation (rule RV-4).
    var isReplaying = false
    /// Whether a subscription that requested missed events was sent on this connection and not refused. The missed events may arrive even
    /// after this subscription was cancelled, so a later subscription does not request them again (rule RV-31).
    var hasAsked = false

    /// The time at which the latest `pusher:subscribe` was sent.
    var askedAt: Moment?
    /// Whether an event that may belong to the current subscription arrived before the confirmation and was dropped (rule PS-36).
    var hasMissed = false
    /// Whether an event of the channel was delivered before the server confirmed the subscription.
    var hasTold = false

    /// Whether the server has the subscription or will have it as soon as it has read the client's messages.
    var isKnownToServer: Bool { phase == .confirming || phase == .confirmed }
}

/// The key of an encrypted channel, and the events that wait for a newer key.
struct SealedChannel: Sendable {
    /// A running request for a newer key. With the newer key, the first event of `backlog` is decrypted again.
    struct KeyReload: Sendable {
        var job: JobID
        var deadline: Moment
    }

    /// The largest number of encrypted events of a channel that wait for a newer key (rule PS-21).
    static let backlogLimit = 256
    /// The largest number of requests for newer keys of one channel in a minute (rule PS-21).
    static let reloadsPerMinute = 30

    /// The key of the channel, 32 bytes; nil when the received key is invalid.
    var key: [UInt8]?
    var reload: KeyReload?
    /// Events in the order of their arrival. The first event could not be decrypted with `key`; all others wait for the first one.
    var backlog: [PusherEnvelope] = []
    /// The times of the requests for keys in the last minute, which are limited to ``reloadsPerMinute``.
    var reloads: [Moment] = []
}

/// A change of a presence channel's members that arrived before the server confirmed the subscription.
enum EarlyMemberChange: Sendable {
    case added(PusherMember)
    case removed(PusherMember)
}

/// A client event that was sent and whose caller has no answer yet. A ping was sent right after the event; the pong for this ping shows
/// that the server has read the event.
struct SentEvent: Sendable {
    var id: RequestID
    var ping: UInt64
    var deadline: Moment
    /// The number of events without a waiting caller that were sent between the previous ping and this event.
    var companions: Int
}
