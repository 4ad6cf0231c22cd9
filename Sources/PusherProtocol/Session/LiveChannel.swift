import ConnectionEngine

/// The state of a wanted channel on the present connection. It holds no references, because it is looked up for every event.
struct LiveChannel: Sendable {
    enum Phase: Hashable, Sendable {
        /// The authoriser is working. Ends with the job or at `deadline`.
        case authorizing(JobID)
        /// The next attempt starts at `deadline`.
        case waiting
        /// The channel is authorised as the signed-in user, whose sign-in is not confirmed yet. Ends with the sign-in or at `deadline`.
        case awaitingUser
        /// `pusher:subscribe` was sent. Ends with the confirmation or at `deadline`.
        case confirming
        case confirmed
        /// Failed until the channel is requested again, or until the next connection.
        case failed
    }

    let access: PusherChannelKind.Access
    var phase: Phase
    var deadline: Moment?
    /// When the latest confirmation arrived.
    var confirmedAt: Moment?
    /// Whether the latest `pusher:subscribe` requested missed events, which arrive before the confirmation (rule RV-4).
    var isReplaying = false
    /// Whether a subscription was sent on this connection and not refused. Events of a subscription that was given up may still arrive,
    /// so no second one is sent (rule RV-31).
    var hasAsked = false

    /// When the latest `pusher:subscribe` was sent.
    var askedAt: Moment?
    /// Whether an event that may belong to the present subscription arrived before the confirmation and was dropped (rule PS-36).
    var hasMissed = false
    /// Whether an event was delivered before the confirmation.
    var hasTold = false

    /// Whether the server has the subscription, as far as the client knows.
    var isKnownToServer: Bool { phase == .confirming || phase == .confirmed }
}

/// The additional state of an encrypted channel.
struct SealedChannel: Sendable {
    /// A newer key was requested, which the first event of the backlog needs.
    struct KeyReload: Sendable {
        var job: JobID
        var deadline: Moment
    }

    /// How many events may wait for a key (rule PS-21).
    static let backlogLimit = 256
    /// How many times per minute keys may be requested (rule PS-21).
    static let reloadsPerMinute = 30

    /// The key; nil when the received key is invalid.
    var key: [UInt8]?
    var reload: KeyReload?
    /// Events in order; the first is the one that could not be decrypted.
    var backlog: [PusherEnvelope] = []
    /// The times of the latest requests for keys.
    var reloads: [Moment] = []
}

/// A change of a presence channel's members that arrived before the confirmation.
enum EarlyMemberChange: Sendable {
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
