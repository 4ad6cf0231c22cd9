import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage

/// An event for the subscribers of a channel.
package struct ChannelPublication: Sendable {
    package enum Source: Sendable {
        /// The application's server, over the HTTP API.
        case server
        /// A subscriber of the channel, to which the event is not sent back.
        case client(PusherClientEvent)
    }

    var channel: ChannelID
    var traits: ChannelTraits
    var application: Application
    /// The encoded WebSocket frame for subscribers.
    var frame: ByteBuffer
    var source: Source
    /// The socket id of a connection that must not receive the event; nil for none.
    var excluding: SocketID?
    /// The event in the form that a cache channel stores; nil for other channels.
    var cached: CachedMessage?
    /// The event in the form for the server's other services, such as PubNub; nil when the event is not passed to those services.
    var bridged: BridgedEvent?
}

/// An event that the server also passes to its other services, such as PubNub, because its channel is shared with them.
package struct BridgedEvent: Sendable {
    var event: String
    var data: String
}

/// The request of a connection to subscribe.
package struct ChannelSubscription: Sendable {
    var channel: ChannelID
    var traits: ChannelTraits
    var application: Application
    var subscriber: ChannelSubscriber
    var member: PresenceMember?
    /// The replay of missed events that the client requests, for connections with recovery; nil for connections without recovery.
    var recovery: SubscriptionRecovery?
}

/// The replay that a connection with recovery requests (rule RV-4).
package struct SubscriptionRecovery: Hashable, Sendable {
    /// The position of the last event that the connection has received; nil for none.
    var request: PusherRecoverRequest?
    /// The largest number of bytes of events to replay to the connection.
    var limit: Int
    /// Whether the subscription may start the channel's history, the list of events for later replays. This field is not sent to a leader
    /// (rule RV-16).
    var mayBegin = true
}

/// The result of an accepted subscription.
package struct SubscriptionGrant: Sendable {
    /// The event loops whose queues are full, for which the subscriber's connection pauses.
    var full = EventLoopSet()
    /// The number of bytes of the events that are replayed to the connection.
    var replayed = 0
    /// Whether the subscription has started a history for its channel; nil when this is not known, because a leader's answer does not
    /// contain it.
    var beganHistory: Bool?
}

/// A connection of a server that subscribes to a channel.
package struct ChannelSubscriber: Sendable {
    /// Whether the connection belongs to this process or to another node.
    enum Place: Sendable {
        /// A connection of this process. The value may be used only on the given event loop.
        case here(NIOLoopBound<PusherConnection>, any EventLoop)
        /// A connection of another node of a cluster. The first closure sends the complete confirmation to that node. The second closure is
        /// for subscriptions of nodes that have lists of members: it sends a confirmation to which the node adds its list of the presence
        /// channel's members. It is nil for other subscriptions.
        case elsewhere(
            @Sendable (_ confirmation: ByteBuffer) -> Void,
            members: (@Sendable (PresenceRoster, MemberConfirmation) -> Void)? = nil)
    }

    var socketID: SocketID
    /// The number of the connection's event loop; numbers are unique across all servers.
    var eventLoopID: Int
    let place: Place
}

/// The end of a subscription, requested by a connection or because the connection has closed.
package struct EndedSubscription: Sendable {
    var channel: ChannelID
    var application: Application
    var eventLoopID: Int
    var socketID: SocketID
    /// The user id of the member, on a presence channel.
    var userID: String?
    /// The connection that has unsubscribed; nil when it has closed.
    var subscriber: ChannelSubscriber?
    /// If true, the remaining members are not notified of the end, because their connections are about to close as well.
    var isSilent = false
}

/// The sign-in of a connection as a user.
package struct ConnectionSignIn: Sendable {
    var connection: UserConnection
    var application: Application
    var user: String
    /// The distinct ids of the users on the connection's watchlist.
    var watchlist: [String]
    /// The encoded frames that the client receives as answers to its sign-in.
    var answers: [ByteBuffer]
}

/// A change that results from a command. It is sent to every node with affected connections.
package enum ChannelChange: Sendable {
    /// Deliver a frame to the subscribers of a channel on these event loops, except for one connection. Connections with recovery
    /// receive the event with its position, if it has one.
    case deliver(ByteBuffer, ChannelID, in: EventLoopSet, excluding: SocketID?, positioned: PositionedEvent?)
    /// Send the confirmation to this connection, then deliver the channel's events to it.
    case subscribed(ChannelSubscriber, ChannelID, confirmation: ByteBuffer)
    /// Stop delivering the channel's events to this connection.
    case unsubscribed(ChannelSubscriber, ChannelID)
    /// Deliver a frame to the signed-in connections with these socket ids, all of one event loop.
    case tell([SocketID], eventLoopID: Int, ByteBuffer)
    /// Close connections of an application, or of one of its signed-in users.
    case close(PusherCloseReason, application: String, user: String?)
    /// Close the connections that have subscriptions in this partition of the cluster, or are signed in to an application whose home
    /// partition it is.
    case interrupt(PusherCloseReason, ChannelPartition)
}
