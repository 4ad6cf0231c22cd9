import ConnectionEngine

// Functions for signing in, an addition to PusherSwift 10.1, with the names of pusher-js.
extension Pusher {
    /// The signed-in user of the connection, and the events that are sent to this user.
    public var user: PusherUserAccount { connection.user }

    /// Signs in. If there is no connection, the client signs in as soon as it is connected; it signs in again after every reconnect.
    ///
    /// ``PusherClientOptions/userAuthentication`` authenticates the user for each connection. Global callbacks get `pusher:signin_success`
    /// or `pusher:signin_error`, and the delegate is called. A second call while signed in has no effect (rule PA-67).
    public func signin() {
        connection.signIn()
    }

    /// Signs in and waits until the server has confirmed the user, if necessary across reconnects.
    ///
    /// Cancelling the task ends the wait, but not the sign-in. The app also has to call `connect()`, before or after this call.
    ///
    /// - Throws: ``PusherSigninError`` when the sign-in was refused, or when the connection was ended on request.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    @discardableResult
    public func signin() async throws -> PusherSignedInUser {
        try await connection.signedIn()
    }

    /// Signs out. The connection stays open, and events that are sent to the user no longer arrive (rule PA-67). pusher-js has no such
    /// call.
    public func signout() {
        connection.signOut()
    }
}
