import ConnectionEngine

// Signing in, an addition to PusherSwift 10.1, with the names of pusher-js.
extension Pusher {
    /// The user of the connection and the events that are sent to the user.
    public var user: PusherUserAccount { connection.user }

    /// Signs in. Without a connection the client signs in as soon as it is connected, and it signs in again after every reconnect.
    ///
    /// ``PusherClientOptions/userAuthentication`` authenticates the user for each connection. Global callbacks get
    /// `pusher:signin_success` or `pusher:signin_error`, and the delegate is called. A second call while signed in does nothing (rule
    /// PA-67).
    public func signin() {
        connection.signIn()
    }

    /// Signs in and waits until the server has confirmed it, if necessary across reconnects.
    ///
    /// Cancelling the task ends the waiting, but not the sign-in. `connect()` has to be called, before or after this.
    ///
    /// - Throws: ``PusherSigninError`` when the sign-in was refused, or when the connection was ended on request.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    @discardableResult
    public func signin() async throws -> PusherSignedInUser {
        try await connection.signedIn()
    }

    /// Signs out. The connection stays open; the events of the user end (rule PA-67). pusher-js has no such call.
    public func signout() {
        connection.signOut()
    }
}
