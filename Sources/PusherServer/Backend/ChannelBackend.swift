import Identifiers
import NIOCore
import ServerRuntime
import ServerStorage

/// Makes the decisions about the Pusher connections of all servers together: about subscriptions, signed-in users, cached events of
/// channels, and the use of an application's limits.
///
/// Commands for one channel are decided one after the other, and so are commands for the users of one application. The resulting changes
/// are passed to the nodes in that order, so all subscribers of a channel get its events in the same order (rule SV-2). ``LocalChannels``,
/// the implementation in one process, has passed on all changes when a call returns. All methods may be called from any thread.
///
/// Commands return the event loops whose queues are full; the caller then pauses the connection that sent the command.
package protocol ChannelBackend: AnyObject, Sendable {
    // MARK: Nodes

    /// Adds a server: from now on it gets the changes that concern its event loops.
    func join(_ node: any ChannelNode)
    /// Removes a server. Its connections must have been removed before.
    func leave(_ node: any ChannelNode)

    // MARK: Commands

    /// Delivers an event to the subscribers of a channel.
    @discardableResult
    func publish(_ publication: ChannelPublication) -> EventLoopSet
    /// Subscribes a connection, or refuses with a reason. The subscriber's node sends the confirmation before any event of the channel.
    ///
    /// - Parameter completion: called once, from any thread.
    func subscribe(
        _ subscription: ChannelSubscription,
        completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void)
    /// Whether ``subscribe(_:completion:)`` always calls its completion before it returns.
    var answersAtOnce: Bool { get }
    /// The number of a connection's unanswered subscriptions at which the server stops reading from that connection. Reading resumes when
    /// at most half of this number of subscriptions are unanswered.
    func subscriptionsAhead(of application: Application) -> Int
    /// Ends a subscription.
    @discardableResult
    func unsubscribe(_ subscription: EndedSubscription) -> EventLoopSet
    /// Ends all subscriptions of a connection that has closed.
    func unsubscribe(all subscriptions: [EndedSubscription])
    /// Signs a connection in as a user. The connection's node sends `answers` to the client before it sends the status of watched users.
    func signIn(_ signIn: ConnectionSignIn)
    /// Signs out a connection that is about to close.
    func signOut(_ connection: UserConnection, of application: Application)
    /// Closes the connections of an application, or of one of its signed-in users, on all servers.
    func close(_ reason: PusherCloseReason, application: String, user: String?)
    /// Counts a new connection, unless the application has reached its limit of connections.
    func openConnection(of application: Application) -> ConnectionPlace
    /// Waits for the leader's decision after ``openConnection(of:)`` has returned ``ConnectionPlace/asked``. If the leader allows the
    /// connection, the connection is counted.
    ///
    /// - Parameter completion: called once, on any thread, unless ``giveUpPlace(_:of:)`` was called before.
    /// - Returns: the ticket for ``giveUpPlace(_:of:)``.
    func awaitPlace(of application: Application, _ completion: @escaping @Sendable (ConnectionPlace) -> Void) -> UInt64
    /// Cancels ``awaitPlace(of:_:)`` because the connection has closed. Does nothing when the completion of that call was called already or
    /// is about to be called.
    func giveUpPlace(_ ticket: UInt64, of application: Application)
    /// Counts the end of a connection, so that the application may open another connection.
    func closeConnection(of application: Application)
    /// Counts messages that the application's server has published against the application's limit.
    func spend(publishes: Int, of application: Application) throws(HTTPProblem)
    /// Counts a query of the application's server against the application's limit.
    func spendQuery(of application: Application) throws(HTTPProblem)
    /// Sends delayed subscription counts, and removes expired messages and users whose grace period has ended. Every node calls this
    /// method; only the call of the first node has an effect.
    func sweep(for node: any ChannelNode)

    // MARK: Reads

    /// The number of subscriptions to a channel and the number of the channel's users; nil when the channel has no subscribers.
    func occupancy(of channel: ChannelID) -> ChannelOccupancy?
    /// The members of a presence channel, in the order in which they joined.
    func members(of channel: ChannelID) -> [PresenceMember]
    /// The last event of a cache channel; nil when the channel has had no event, or when its last event has expired.
    func cached(_ channel: ChannelID) -> CachedMessage?
    /// The event loops that have subscribers of a channel.
    func audience(of channel: ChannelID) -> EventLoopSet
    /// Passes to `body` the occupied channels of an application whose names begin with `prefix`, in several parts. Stops when `body`
    /// returns false.
    func forEachOccupied(application: String, prefix: String, _ body: ([ChannelOccupancy]) -> Bool)
    /// The number of open connections of an application, on all servers. Servers whose counts this process has not received are missing.
    func connections(of application: Application) -> Int
    /// The number of channels with at least one subscription.
    var channelCount: Int { get }
    /// The numbers of channels, subscriptions and members, by application id.
    var tallies: [(application: String, tally: ChannelTally)] { get }
    /// The size of each application's recovery histories; empty unless this process makes the decisions about the application's channels.
    var recoveries: [(application: String, tally: RecoveryTally)] { get }
    /// The delivery counts of the webhook events that this process has sent while it was the cluster's leader; empty without a cluster.
    var webhookReports: [Identifier: [WebhookReport]] { get }
    /// The numbers of events that this process has accepted over the HTTP API while it was the cluster's leader; empty without a cluster.
    var eventCounts: [Identifier: EventCounts] { get }
}

extension ChannelNode {
    /// Does nothing by default: confirmations from a backend in the same process already contain all members.
    package func note(_ change: MemberChange, of channel: ChannelID, audience: EventLoopSet) {}
}

/// Whether a connection of an application may be admitted.
package enum ConnectionPlace: Hashable, Sendable {
    case given
    /// The application has reached its limit of connections.
    case full
    /// The leader has to decide whether the connection is admitted. The connection waits for the leader's answer.
    case asked
    /// The leader cannot be reached.
    case unavailable
}

extension ChannelBackend {
    package func awaitPlace(
        of application: Application, _ completion: @escaping @Sendable (ConnectionPlace) -> Void
    ) -> UInt64 {
        completion(.unavailable)
        return 0
    }

    package func giveUpPlace(_ ticket: UInt64, of application: Application) {}

    package var webhookReports: [Identifier: [WebhookReport]] { [:] }
    package var eventCounts: [Identifier: EventCounts] { [:] }

    package func unsubscribe(all subscriptions: [EndedSubscription]) {
        for subscription in subscriptions { unsubscribe(subscription) }
    }
}

/// One server, to which a ``ChannelBackend`` passes its decisions. Methods are called in the order of decisions, while the backend holds
/// locks, so implementations must only enqueue work.
package protocol ChannelNode: AnyObject, Sendable {
    /// The server's event loops, numbered across all servers.
    var eventLoopIDs: EventLoopSet { get }
    /// The server's event loops whose queues are full.
    var fullEventLoops: EventLoopSet { get }

    /// Applies a change to this server; returns the event loops whose queues are full.
    func apply(_ change: ChannelChange) -> EventLoopSet
    /// Receives a change of a presence channel's members. For a new member this call comes before the confirmation of its subscription.
    ///
    /// - Parameter audience: the event loops with subscribers after the change.
    func note(_ change: MemberChange, of channel: ChannelID, audience: EventLoopSet)
    /// Reports an event of a channel to webhooks. Called on the first node only.
    func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, of application: Application)
    /// Reports an event that was caused by a timer to webhooks; `id` is the application's id. Called on the first node only.
    func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, ofApplication id: String)
    /// Reports to webhooks that a cache channel has got an event, so that a later cache miss is reported again. Called on the first
    /// node only.
    func filled(_ channel: String, of application: Application)
}
