import Identifiers
import NIOCore
import RealtimeHub
import ServerRuntime

/// Makes all decisions that the Pusher connections of all servers share: subscriptions, signed-in users, stored events of channels, and
/// the use of an application's limits.
///
/// Every command is decided in one place. Commands for one channel, and those for the users of one application, are decided in one
/// order, and the changes that they lead to are handed to the nodes in that order; so all subscribers of a channel see the same one
/// (rule SV-2). A backend in the process, ``LocalChannels``, has handed over all changes when the call returns. All methods may be
/// called from any thread.
///
/// The event loops that a command returns have no more room; the caller pauses the connection that sent the command.
package protocol ChannelBackend: AnyObject, Sendable {
    // MARK: Nodes

    /// A server takes part from now on: it gets the changes that concern its event loops.
    func join(_ node: any ChannelNode)
    /// A server no longer takes part. Its connections have been removed before.
    func leave(_ node: any ChannelNode)

    // MARK: Commands

    /// Hands an event to the subscribers of a channel.
    @discardableResult
    func publish(_ publication: ChannelPublication) -> EventLoopSet
    /// Subscribes a connection, or says why not. The subscriber's node confirms before it delivers anything else.
    ///
    /// - Parameter completion: called once, from any thread.
    func subscribe(
        _ subscription: ChannelSubscription,
        completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void)
    /// Whether ``subscribe(_:completion:)`` has called its completion when it returns.
    var answersAtOnce: Bool { get }
    /// So many subscriptions of one connection may wait for their answers; then the connection is not read from until half of them are
    /// answered, or all of them where this is one.
    var subscriptionsAhead: Int { get }
    /// Ends a subscription.
    @discardableResult
    func unsubscribe(_ subscription: EndedSubscription) -> EventLoopSet
    /// Ends all subscriptions of a connection that has gone.
    func unsubscribe(all subscriptions: [EndedSubscription])
    /// Signs a connection in as a user. Its node sends the answers before any status of users whom this user watches.
    func signIn(_ signIn: ConnectionSignIn)
    /// Forgets a connection that was signed in.
    func signOut(_ connection: UserConnection, of application: Application)
    /// Closes the connections of an application, or of one of its signed-in users, on all servers.
    func close(_ reason: PusherCloseReason, application: String, user: String?)
    /// Counts a connection that is about to be admitted, if the application has a place for it.
    func openConnection(of application: Application) -> ConnectionPlace
    /// Waits for a place after ``openConnection(of:)`` has answered ``ConnectionPlace/asked``. A place that is given is counted.
    ///
    /// - Parameter completion: called once, from any thread, unless the place is given up before.
    /// - Returns: what ``giveUpPlace(_:of:)`` needs.
    func awaitPlace(of application: Application, _ completion: @escaping @Sendable (ConnectionPlace) -> Void) -> UInt64
    /// A connection that waits for a place has gone. Does nothing when it has been told already, or is about to be.
    func giveUpPlace(_ ticket: UInt64, of application: Application)
    /// Gives the place of a connection back.
    func closeConnection(of application: Application)
    /// Counts messages that the application's server publishes.
    func spend(publishes: Int, of application: Application) throws(HTTPProblem)
    /// Counts a question of the application's server.
    func spendQuery(of application: Application) throws(HTTPProblem)
    /// Does what is due by time: sends counts that were held back, and removes users who have stayed away and messages that have
    /// expired. Every node calls it; only the call of the first node has an effect.
    func sweep(for node: any ChannelNode)

    // MARK: Reads

    /// The occupancy of a channel; nil without subscribers.
    func occupancy(of channel: ChannelID) -> ChannelOccupancy?
    /// The members of a presence channel, in the order of joining.
    func members(of channel: ChannelID) -> [PresenceMember]
    /// A cache channel's last message that has not expired.
    func cached(_ channel: ChannelID) -> CachedMessage?
    /// The event loops with subscribers of a channel.
    func audience(of channel: ChannelID) -> EventLoopSet
    /// The occupied channels of an application whose names begin with `prefix`, in parts, until `body` returns false.
    func forEachOccupied(application: String, prefix: String, _ body: ([ChannelOccupancy]) -> Bool)
    /// Connections of an application.
    func connections(of application: Application) -> Int
    /// Channels with at least one subscription.
    var channelCount: Int { get }
    /// The counts of each application, by its id.
    var tallies: [(application: String, tally: ChannelTally)] { get }
    /// The size of each application's recovery histories, where decisions are made.
    var recoveries: [(application: String, tally: RecoveryTally)] { get }
    /// The delivery counts of webhooks that another service of this process has sent, where decisions are made.
    var webhookReports: [Identifier: [WebhookReport]] { get }
}

/// Whether a connection of an application may be admitted.
package enum ConnectionPlace: Hashable, Sendable {
    case given
    /// The application has as many connections as it may have.
    case full
    /// Somebody else decides: the connection waits.
    case asked
    /// The process that decides does not answer.
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

    package func unsubscribe(all subscriptions: [EndedSubscription]) {
        for subscription in subscriptions { unsubscribe(subscription) }
    }
}

/// One server, as the backend of its channels knows it. Called in the order of decisions, under locks of the backend: work is only
/// queued.
package protocol ChannelNode: AnyObject, Sendable {
    /// The server's event loops, among those of all servers.
    var eventLoopIDs: EventLoopSet { get }
    /// The event loops among them that have no room now.
    var fullEventLoops: EventLoopSet { get }

    /// Does its part of what was decided; returns the event loops that are full now.
    func apply(_ change: ChannelChange) -> EventLoopSet
    /// Tells what happened on a channel to webhooks. Said to the first node only.
    func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, of application: Application)
    /// As ``tell(_:on:of:)``, for events that follow from time alone; `id` is the application's.
    func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, ofApplication id: String)
    /// A cache channel has got an event, which webhooks of it wait for. Said to the first node only.
    func filled(_ channel: String, of application: Application)
}
