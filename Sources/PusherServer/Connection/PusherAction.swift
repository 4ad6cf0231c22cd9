import PusherProtocol

/// The action that a client's message requires.
enum PusherAction: Hashable, Sendable {
    case none
    /// Answer the client with this message.
    case reply([UInt8])
    /// Answer the client with this `pusher:error`, which has this code.
    case refuse([UInt8], code: Int?)
    /// Subscribe in the ``ChannelBackend``. If it refuses the subscription, ``PusherFront/refused(_:_:)`` returns the answer for the
    /// client.
    ///
    /// - Parameter recover: the events that the client wants replayed, if its connection has recovery.
    case subscribe(channel: String, member: PresenceMember?, recover: PusherRecoverRequest? = nil)
    case unsubscribe(PusherFront.Subscription)
    /// Sign the connection in as a user.
    case signIn(VerifiedSignIn, answers: [[UInt8]])
    /// Deliver a client event to the other subscribers of its channel.
    case relay(PusherClientEvent)
}

/// An event that a client sends to the other subscribers of a channel.
package struct PusherClientEvent: Hashable, Sendable {
    var name: String
    var channel: String
    /// The data of the event: a string as received, and every other value as its JSON text.
    var data: String
    /// The user id of the sender, on a presence channel.
    var userID: String?

    /// The encoded message for subscribers.
    var message: [UInt8] { PusherFrames.event(name: name, channel: channel, data: data, userID: userID) }
}
