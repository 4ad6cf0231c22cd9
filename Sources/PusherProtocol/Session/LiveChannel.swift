import ConnectionEngine

/// The state of a wanted channel on the present connection. It holds no references, because it is looked up for every event.
struct LiveChannel: Sendable {
    enum Phase: Hashable, Sendable {
        /// The authorizer has been asked. Ends with the job or at `deadline`.
        case authorizing(JobID)
        /// The next attempt comes at `deadline`.
        case waiting
        /// Authorised as the signed-in user, who is not signed in yet. Ends with the sign-in or at `deadline`.
        case awaitingUser
        /// `pusher:subscribe` is out. Ends with the confirmation or at `deadline`.
        case confirming
        case confirmed
        /// Final until it is asked for again, or until the next connection.
        case failed
    }

    let access: PusherChannelKind.Access
    var phase: Phase
    var deadline: Moment?
    /// When the latest confirmation came.
    var confirmedAt: Moment?
    /// Whether the latest `pusher:subscribe` asked for missed events, which come before the confirmation (rule RV-4).
    var isReplaying = false
    /// Whether a subscription was sent on this connection and not refused. Events of a subscription that was given up may still arrive,
    /// so no second one is sent (rule RV-31).
    var hasAsked = false

    /// When the latest `pusher:subscribe` was sent.
    var askedAt: Moment?
    /// Whether an event came before the confirmation that may have been the present subscription's, and was dropped (rule PS-36).
    var hasMissed = false
    /// Whether an event was delivered before the confirmation.
    var hasTold = false

    /// Whether the server knows of the subscription, as far as we know.
    var isKnownToServer: Bool { phase == .confirming || phase == .confirmed }
}

/// The additional state of an encrypted channel.
struct SealedChannel: Sendable {
    /// The authorizer has been asked for a newer key, which the first event of the backlog needs.
    struct KeyReload: Sendable {
        var job: JobID
        var deadline: Moment
    }

    /// How many events may wait for a key (rule PS-21).
    static let backlogLimit = 256
    /// How many times per minute keys may be requested (rule PS-21).
    static let reloadsPerMinute = 30

    /// Nil when the key that came is none.
    var key: [UInt8]?
    var reload: KeyReload?
    /// Events in order; the first is the one that could not be opened.
    var backlog: [PusherEnvelope] = []
    /// The times of the latest requests for keys.
    var reloads: [Moment] = []
}

/// A change of a presence channel's members that came before the confirmation.
enum EarlyChange: Sendable {
    case added(PusherMember)
    case removed(PusherMember)
}

/// A client event that was sent; the pong for its ping shows that the server has read it.
struct SentEvent: Sendable {
    var id: RequestID
    var ping: UInt64
    var deadline: Moment
    /// The number of events that were sent before it and that have no waiting caller.
    var companions: Int
}
