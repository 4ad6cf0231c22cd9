import PusherProtocol
import RealtimeHub

/// What a message of a client leads to.
enum PusherAction: Hashable, Sendable {
    case none
    /// Answer with a message.
    case reply([UInt8])
    /// Subscribe in the hub. When the hub refuses, ``PusherFront/refused(_:_:)`` has the answer.
    case subscribe(channel: String, member: PresenceMember?)
    case unsubscribe(PusherFront.Subscription)
    /// Hand a message to the other subscribers of a channel.
    case relay([UInt8], channel: String)
}
