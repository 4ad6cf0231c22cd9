import ConnectionEngine

// Signing in, an addition to PusherSwift 10.1, with the names of pusher-js.
extension Pusher {
    /// The user of the connection, and the events that are sent to them.
    public var user: PusherUserAccount { connection.user }

    /// Signs in, now or as soon as there is a connection, and again after every reconnect.
    ///
    /// Who the user is, ``PusherClientOptions/userAuthentication`` says for each connection. Global callbacks hear
    /// `pusher:signin_success` or `pusher:signin_error`, and so does the delegate. Signing in twice is one sign-in (rule PA-67).
    public func signin() {
        connection.signIn()
    }

    /// Signs in and waits until the server has confirmed it, over reconnects if need be.
    ///
    /// Cancelling the task ends the waiting, not the wish. Needs a `connect()`, before or after.
    ///
    /// - Throws: `PusherSigninError` once the sign-in has failed for good on a connection, or the connection was ended on request.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    @discardableResult
    public func signin() async throws -> PusherSignedInUser {
        try await connection.signedIn()
    }

    /// No user from now on. The connection stays; the events of the user end (rule PA-67). pusher-js has no such call.
    public func signout() {
        connection.signOut()
    }
}
