import ConnectionEngine

/// A command of a user to a Pusher connection.
public enum PusherCommand: Sendable {
    /// Keeps a channel subscribed from now on, over every reconnect. Answered with `subscribed` when the server has confirmed, or with
    /// the failure once it is final.
    case subscribe(PusherSubscription)
    /// Unsubscribes a channel, in every state, also before the confirmation. Answered at once.
    case unsubscribe(channel: String)
    /// A client event on a subscribed private or presence channel. While the channel is not subscribed yet it waits, in order.
    /// `json` is the data as JSON text.
    case publish(channel: String, event: String, json: String)
    /// Sends a message unchanged: event name and data as JSON text, without a channel.
    case send(event: String, json: String)
    /// Signs in a user, now and on every later connection. For each connection the user has to be authorised
    /// (``PusherAuthorizeJob/Purpose/user``). Answered with `signedIn` when the server has confirmed, or with the failure once it is
    /// final. Messages to the user are events of the channel `#server-to-user-ID`, to which the session subscribes automatically; its
    /// confirmation, failures and gaps are reported like those of other channels. Rules PS-28 to PS-32.
    case signIn
    /// Signs out. The protocol has no such message: the present connection stays signed in until it ends, but no more events of the
    /// user are delivered. Answered at once.
    case signOut
}

/// A channel that a user wants.
public struct PusherSubscription: Hashable, Sendable {
    public var channel: String
    /// An authorisation that the caller supplied. Valid for one connection; afterwards the channel is authorised again.
    public var authorization: PusherAuthorization?
    /// The time limit of the authorisation, and again of the server's confirmation; nil for the policy's request timeout. Clamped to
    /// 100 ms ... 5 min. Rule PS-34.
    public var timeout: Duration?

    public init(channel: String, authorization: PusherAuthorization? = nil, timeout: Duration? = nil) {
        self.channel = channel
        self.authorization = authorization
        self.timeout = timeout
    }
}

/// The answer of an authorisation endpoint.
public struct PusherAuthorization: Hashable, Sendable {
    /// `key:signature`.
    public var auth: String
    /// For presence channels: the JSON text that was signed.
    public var channelData: String?
    /// For encrypted channels: the channel's key, in base64.
    public var sharedSecret: String?
    /// For users: the JSON text that was signed.
    public var userData: String?

    public init(auth: String, channelData: String? = nil, sharedSecret: String? = nil, userData: String? = nil) {
        self.auth = auth
        self.channelData = channelData
        self.sharedSecret = sharedSecret
        self.userData = userData
    }
}

/// Answers to commands.
public enum PusherReply: Hashable, Sendable {
    case subscribed
    case unsubscribed
    /// The server has read a client event: it answered a ping that was sent after it, and no error came in between.
    case published
    case sent
    case signedIn
    case signedOut
}

/// An event of a Pusher connection.
public enum PusherSessionEvent: Sendable {
    /// The connection has a socket id.
    case established(socketID: String)
    /// A subscription was confirmed: the first time, or again on a new connection.
    indirect case subscribed(PusherSubscribed)
    /// A channel could not be subscribed. `body` is the server's answer, at most 1 KiB of it; an endpoint's answer is not included.
    /// `willRetry` is whether the session tries again automatically.
    indirect case subscriptionFailed(channel: String, failure: ConnectionFailure, body: String?, willRetry: Bool)
    /// The channel was unsubscribed on request.
    case unsubscribed(channel: String)
    /// An event for the user: of a channel, or without one. Already decrypted.
    case message(PusherEnvelope)
    indirect case memberAdded(channel: String, PusherMember)
    indirect case memberRemoved(channel: String, PusherMember)
    case subscriptionCount(channel: String, Int)
    /// A cache channel was confirmed and had nothing to deliver. The event `pusher:cache_miss` follows as a message.
    case cacheMissed(channel: String)
    /// The server confirmed the user of this connection: the first time, or again on a new one.
    indirect case signedIn(PusherUser)
    /// The user could not be signed in. `willRetry` is whether the session tries again automatically.
    indirect case signInFailed(failure: ConnectionFailure, body: String?, willRetry: Bool)
    /// Users of the signed-in user's watchlist came online or went offline, in the server's order.
    case watchlist([PusherWatchlistChange])
    /// `pusher:error` from the server.
    case serverError(code: Int?, message: String)
    indirect case decryptionFailed(channel: String, event: String, data: String?)
    /// Messages that were published after `since` may be missing. Emitted with the confirmation that follows a lost connection.
    case gap(channel: String, since: Moment)
    /// A frame that is not a Pusher message has arrived; the connection continues.
    case malformed(reason: String)
    /// The text of a frame, unchanged. Only when the decoder keeps it.
    case frame(String)
    /// A probe was sent to see whether the link is alive.
    case pinged
    /// The answer to a probe.
    case ponged
}

/// A confirmed subscription.
public struct PusherSubscribed: Sendable {
    public var channel: String
    /// The confirmation's `data` as text; `{}` when the server sent none.
    public var data: String
    /// For presence channels: all present members, in the server's order.
    public var members: [PusherMember]
    /// For presence channels: the own user id.
    public var myID: String?
    /// Whether the channel had been subscribed on an earlier connection.
    public var isRenewal: Bool
    /// Whether the server has replayed everything that was missed since the earlier connection; then there is no gap.
    public var isRecovered: Bool

    public init(
        channel: String, data: String, members: [PusherMember], myID: String?, isRenewal: Bool, isRecovered: Bool = false
    ) {
        self.channel = channel
        self.data = data
        self.members = members
        self.myID = myID
        self.isRenewal = isRenewal
        self.isRecovered = isRecovered
    }
}

/// Side work: requests the authorisation of a channel or a user.
public struct PusherAuthorizeJob: Hashable, Sendable {
    public enum Purpose: Hashable, Sendable {
        case subscription
        /// An event could not be decrypted; perhaps the key has changed.
        case keyReload
        /// A user wants to sign in; there is no channel, and the answer has `userData`.
        case user
    }

    /// The channel; empty for a user.
    public var channel: String
    public var socketID: String
    public var purpose: Purpose
    /// The time limit of the answer, when the channel has its own.
    public var limit: Duration?

    public init(channel: String, socketID: String, purpose: Purpose, limit: Duration? = nil) {
        self.channel = channel
        self.socketID = socketID
        self.purpose = purpose
        self.limit = limit
    }
}
