import ConnectionEngine

/// A command of the application to a Pusher connection.
public enum PusherCommand: Sendable {
    /// Subscribes to a channel, and again after every reconnect. Answered with `subscribed` when the server has confirmed, or with a
    /// failure when no further attempt is made.
    case subscribe(PusherSubscription)
    /// Unsubscribes from a channel, in every state, even before the confirmation. Answered at once.
    case unsubscribe(channel: String)
    /// Sends a client event on a private or presence channel. If the channel is not subscribed yet, events wait in order. `json` is the
    /// data as JSON text.
    case publish(channel: String, event: String, json: String)
    /// Sends a message without a channel. The event name and the data, which is JSON text, are sent unchanged.
    case send(event: String, json: String)
    /// Signs in a user, on this connection and on every later one. The user has to be authorised for each connection
    /// (``PusherAuthorizeJob/Purpose/user``). Answered with `signedIn` when the server has confirmed, or with a failure when no further
    /// attempt is made.
    ///
    /// Messages to the user are events of the channel `#server-to-user-ID`, to which the session subscribes automatically. The
    /// confirmation, failures and gaps of this channel are reported as for other channels. Rules PS-28 to PS-32.
    case signIn
    /// Signs out. The protocol has no message for signing out, so the connection stays signed in until it ends, but no more events of the
    /// user are delivered. Answered at once.
    case signOut
}

/// A channel to which the application wants to be subscribed.
public struct PusherSubscription: Hashable, Sendable {
    public var channel: String
    /// An authorisation that the caller supplies. It is valid for one connection; for each later connection, the session requests a new
    /// authorisation.
    public var authorization: PusherAuthorization?
    /// The time limit of the authorisation. The server's confirmation, which follows the authorisation, has the same limit. Nil for the
    /// policy's request timeout. Clamped to 100 ms ... 5 min (rule PS-34).
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
    /// For presence channels, the JSON text about the member that the application's server has signed.
    public var channelData: String?
    /// For encrypted channels, the channel's key in base64, with which events are decrypted.
    public var sharedSecret: String?
    /// For users, the JSON text about the user that the application's server has signed.
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
    /// The server has read a client event: it answered a ping that followed the event, and sent no error in between.
    case published
    case sent
    case signedIn
    case signedOut
}

/// An event that a Pusher connection reports to the application.
public enum PusherSessionEvent: Sendable {
    /// The server has accepted the connection and assigned a socket id.
    case established(socketID: String)
    /// The server has confirmed a subscription, for the first time or on a new connection.
    indirect case subscribed(PusherSubscribed)
    /// A subscription failed. `body` is the first 1 KiB of the WebSocket server's answer; answers of authorisation endpoints are not
    /// included. `willRetry` is whether the session tries again automatically.
    indirect case subscriptionFailed(channel: String, failure: ConnectionFailure, body: String?, willRetry: Bool)
    /// The channel was unsubscribed, because the application asked for it.
    case unsubscribed(channel: String)
    /// An event for the application, of a channel or without one. Encrypted data have been decrypted.
    case message(PusherEnvelope)
    indirect case memberAdded(channel: String, PusherMember)
    indirect case memberRemoved(channel: String, PusherMember)
    case subscriptionCount(channel: String, Int)
    /// The server has confirmed the subscription to a cache channel and has no stored event for it. The event `pusher:cache_miss` follows
    /// as a message.
    case cacheMissed(channel: String)
    /// The server has confirmed the user, for the first time or on a new connection.
    indirect case signedIn(PusherUser)
    /// A sign-in failed. `willRetry` is whether the session tries again automatically.
    indirect case signInFailed(failure: ConnectionFailure, body: String?, willRetry: Bool)
    /// Users of the signed-in user's watchlist came online or went offline; the changes are in the server's order.
    case watchlist([PusherWatchlistChange])
    /// The server has sent `pusher:error`.
    case serverError(code: Int?, message: String)
    indirect case decryptionFailed(channel: String, event: String, data: String?)
    /// Messages of the channel that were published after `since` may be missing. Emitted with the confirmation that follows a lost
    /// connection.
    case gap(channel: String, since: Moment)
    /// A frame that is not a Pusher message has arrived; the connection continues.
    case malformed(reason: String)
    /// The unchanged text of a received frame. Emitted only when the decoder keeps texts.
    case frame(String)
    /// The client has sent a ping to check the connection.
    case pinged
    /// The server has answered the ping that checks the connection.
    case ponged
}

/// A confirmed subscription.
public struct PusherSubscribed: Sendable {
    public var channel: String
    /// The confirmation's `data` as text; `{}` when the server sent none.
    public var data: String
    /// For presence channels, all current members in the server's order.
    public var members: [PusherMember]
    /// For presence channels, the user's own id.
    public var myID: String?
    /// Whether the channel was subscribed on an earlier connection of this client.
    public var isRenewal: Bool
    /// Whether the server has replayed everything that was missed since the earlier connection, so that there is no gap.
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

/// A request for the authorisation of a channel or a user, which runs beside the connection.
public struct PusherAuthorizeJob: Hashable, Sendable {
    public enum Purpose: Hashable, Sendable {
        case subscription
        /// An event could not be decrypted, so a newer key is requested.
        case keyReload
        /// A user wants to sign in. There is no channel, and the answer must have `userData`.
        case user
    }

    /// The name of the channel to authorise; empty for a sign-in.
    public var channel: String
    public var socketID: String
    public var purpose: Purpose
    /// The time limit of the authorisation; nil for the policy's request timeout.
    public var limit: Duration?

    public init(channel: String, socketID: String, purpose: Purpose, limit: Duration? = nil) {
        self.channel = channel
        self.socketID = socketID
        self.purpose = purpose
        self.limit = limit
    }
}
