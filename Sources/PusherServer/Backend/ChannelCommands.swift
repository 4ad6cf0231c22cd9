import NIOCore
import PusherProtocol
import RealtimeHub
import ServerRuntime

/// An event for the subscribers of a channel.
package struct ChannelPublication: Sendable {
    package enum Source: Sendable {
        /// The application's own server.
        case server
        /// A subscriber of the channel, who does not get the event.
        case client(ClientEvent)
    }

    var channel: ChannelID
    var traits: ChannelTraits
    var application: Application
    /// The event as subscribers get it.
    var frame: ByteBuffer
    var source: Source
    /// A connection that does not get the event.
    var excluding: SocketID?
    /// The remembered event of a cache channel; nil for other channels.
    var cached: CachedMessage?
    /// The event for the bridge; nil for what the bridge does not carry.
    var bridged: BridgedEvent?
}

/// An event that goes to other services too, if its channel is bridged.
package struct BridgedEvent: Sendable {
    var event: String
    var data: String
}

/// A connection that wants to be subscribed.
package struct ChannelSubscription: Sendable {
    var channel: ChannelID
    var traits: ChannelTraits
    var application: Application
    var subscriber: ChannelSubscriber
    var member: PresenceMember?
    /// Set for connections with recovery.
    var recovery: SubscriptionRecovery?
}

/// The replay that a connection with recovery requests (rule RV-4).
package struct SubscriptionRecovery: Hashable, Sendable {
    /// The position that the connection has reached; nil for none.
    var request: PusherRecoverRequest?
    /// How many bytes may be replayed.
    var limit: Int
    /// Whether the subscription may begin the history of its channel. Not sent to a leader (rule RV-16).
    var mayBegin = true
}

/// A subscription that was accepted.
package struct SubscriptionGrant: Sendable {
    /// Event loops that are full now.
    var full = EventLoopSet()
    /// How many bytes are replayed.
    var replayed = 0
    /// Whether the subscription has begun the history of its channel; nil when that is not known.
    var beganHistory: Bool?
}

/// A connection of one server.
package struct ChannelSubscriber: Sendable {
    /// The node and event loop of the connection.
    enum Place: Sendable {
        /// A server of this process. Only its own node looks at the connection, on its event loop.
        case here(NIOLoopBound<PusherConnection>, any EventLoop)
        /// Another node of a cluster, which is given the confirmation.
        case elsewhere(@Sendable (_ confirmation: ByteBuffer) -> Void)
    }

    var socketID: SocketID
    /// The event loop, among those of all servers.
    var eventLoopID: Int
    let place: Place
}

/// A subscription that ends.
package struct EndedSubscription: Sendable {
    var channel: ChannelID
    var application: Application
    var eventLoopID: Int
    var socketID: SocketID
    /// The member's user on a presence channel.
    var userID: String?
    /// Nil when the connection has gone altogether.
    var subscriber: ChannelSubscriber?
    /// Whether the remaining members are not notified, because they are about to leave too.
    var isSilent = false
}

/// A connection that signs in as a user.
package struct ConnectionSignIn: Sendable {
    var connection: UserConnection
    var application: Application
    var user: String
    /// The distinct ids of the users that the connection watches.
    var watchlist: [String]
    /// The answers to the connection, as frames.
    var answers: [ByteBuffer]
}

/// A change that follows from a command, for the nodes that it concerns.
package enum ChannelChange: Sendable {
    /// Deliver a frame to the subscribers of a channel on these event loops, but to the excluded one. Connections with recovery get
    /// the event with its position, if it has one.
    case deliver(ByteBuffer, ChannelID, in: EventLoopSet, excluding: SocketID?, positioned: PositionedEvent?)
    /// Deliver to this connection from now on, after the confirmation.
    case subscribed(ChannelSubscriber, ChannelID, confirmation: ByteBuffer)
    /// Deliver to this connection no longer.
    case unsubscribed(ChannelSubscriber, ChannelID)
    /// Deliver a frame to connections that are signed in, on one event loop.
    case tell([SocketID], eventLoopID: Int, ByteBuffer)
    /// Close connections of an application, or of one of its signed-in users.
    case close(PusherCloseReason, application: String, user: String?)
}
