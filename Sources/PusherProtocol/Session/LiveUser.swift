import ConnectionEngine
import Identifiers

/// The request to be signed in, over all connections.
struct WantedUser: Sendable {
    /// The requests that wait for the confirmation.
    var waiters: [RequestID] = []
    /// Failures in a row.
    var failures = 0
    /// The session makes no attempt by itself before this time.
    var notBefore: Moment?
}

/// The state of the sign-in on the present connection.
struct LiveUser: Sendable {
    enum Phase: Hashable, Sendable {
        /// No sign-in is requested, or the connection is not confirmed yet.
        case idle
        /// The authoriser is authenticating the user. Ends with the job or at `deadline`.
        case authorizing(JobID)
        /// The next attempt starts at `deadline`.
        case waiting
        /// `pusher:signin` was sent. Ends with the confirmation, an error or at `deadline`.
        case confirming
        case confirmed
        /// Failed until the sign-in is requested again, or until the next connection.
        case failed
    }

    var phase = Phase.idle
    var deadline: Moment?
    /// The user of the latest `pusher:signin` that is still valid.
    var asked: PusherUser?
    /// The user whom the server has confirmed on this connection, also after signing out.
    var known: PusherUser?
    /// Authorisations of presence channels that wait for the user, by channel.
    var parked: [Identifier: PusherAuthorization] = [:]
}
