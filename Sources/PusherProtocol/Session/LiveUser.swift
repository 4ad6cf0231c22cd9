import ConnectionEngine
import Identifiers

/// The application's request to be signed in as a user. The request applies to all connections until the application signs out.
struct WantedUser: Sendable {
    /// The ids of `signIn` commands that are answered when the server confirms the sign-in or no further attempt is made.
    var waiters: [RequestID] = []
    /// The number of failed attempts to sign in since the server last confirmed a sign-in.
    var failures = 0
    /// The earliest time of the next automatic attempt to sign in; nil for no restriction.
    var notBefore: Moment?
}

/// The state of the sign-in on the current connection.
struct LiveUser: Sendable {
    enum Phase: Hashable, Sendable {
        /// No sign-in is requested, or the server has not confirmed the connection yet.
        case idle
        /// The authorisation of the user was requested. The phase ends with the job's result or at `deadline`.
        case authorizing(JobID)
        /// The last attempt to sign in failed; the next one starts at `deadline`.
        case waiting
        /// `pusher:signin` was sent. The phase ends with the confirmation, an error, or at `deadline`.
        case confirming
        case confirmed
        /// No further attempt is made until the application requests a sign-in again or the next connection opens.
        case failed
    }

    var phase = Phase.idle
    var deadline: Moment?
    /// The user of the latest `pusher:signin`; nil when the server has refused this sign-in.
    var asked: PusherUser?
    /// The user whom the server has confirmed on this connection. The user is kept after a sign-out, because the server's side of the
    /// connection stays signed in.
    var known: PusherUser?
    /// Authorisations of presence channels that wait for the sign-in, by channel.
    var parked: [Identifier: PusherAuthorization] = [:]
}
