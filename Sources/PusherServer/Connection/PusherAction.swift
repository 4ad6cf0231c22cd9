import PusherProtocol
import RealtimeHub

/// The action that a client's message requires.
enum PusherAction: Hashable, Sendable {
    case none
    /// Answer with a message.
    case reply([UInt8])
    /// Answer with a `pusher:error` of this code.
    case refuse([UInt8], code: Int?)
    /// Subscribe in the hub. When the hub refuses, ``PusherFront/refused(_:_:)`` has the answer.
    ///
    /// - Parameter recover: which events the client wants replayed, if its connection has recovery.
    case subscribe(channel: String, member: PresenceMember?, recover: PusherRecoverRequest? = nil)
    case unsubscribe(PusherFront.Subscription)
    /// The connection belongs to a user from now on.
    case signIn(PusherSignIn, answers: [[UInt8]])
    /// Hand a client's event to the other subscribers of its channel.
    case relay(ClientEvent)
}

/// An event that a client sends to the other subscribers of a channel.
package struct ClientEvent: Hashable, Sendable {
    var name: String
    var channel: String
    /// A text as it came, everything else as its JSON text.
    var data: String
    /// The sender's id on a presence channel.
    var userID: String?

    /// The message that subscribers get.
    var message: [UInt8] { PusherFrames.event(name: name, channel: channel, data: data, userID: userID) }
}
