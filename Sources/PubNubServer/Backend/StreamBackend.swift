import ServerRuntime
import ServerStorage

/// Owns the keysets that several servers share: streams, presence, groups, grants, actions and history.
///
/// A keyset (``PubNubApplication``) decides under its lock: all changes go through ``PubNubApplication/change(_:)`` in one order,
/// and their effects are passed to the nodes as `StreamChange`s. Reads are answered from the keyset's copy in the process.
/// ``LocalStreams`` is the backend for servers in one process. All methods may be called from any thread.
package protocol StreamBackend: AnyObject, Sendable {
    /// Adds a server: from now on it gets the changes that concern its event loops.
    func join(_ node: any StreamNode)
    /// Removes a server and the state for its event loops.
    func leave(_ node: any StreamNode)

    /// Assigns timetokens and owns the store.
    var storage: StreamStorage { get }
    /// The applications, indexed by their numbers. A keyset that is no longer configured stays in the list, so that its data is
    /// available when it is configured again.
    var applications: [PubNubApplication] { get }
    /// The keyset that serves requests with this key.
    func application(subscribeKey: String) -> PubNubApplication?

    /// Prepares a change of the keysets without applying it. Do not call it again before ``take(_:)``.
    ///
    /// - Throws: an error when the store cannot restore a new keyset.
    func prepare(_ keysets: [Keyset]) async throws -> PubNubReload
    /// Serves exactly these keysets from now on. If several have the same key, the first one is used (rule PV-150).
    func take(_ reload: PubNubReload)

    /// The delivery counts of push webhooks, by keyset; empty for all servers except the one that sends the webhooks.
    func pushCounts(for node: any StreamNode) -> [(application: PubNubApplication, counts: WebhookDelivery.Counts)]

    /// Runs time-dependent work: users time out, and messages that are too old for catching up are dropped. Every node calls it;
    /// only the call of the first node has an effect.
    ///
    /// - Parameter later: schedules a closure behind other work of the node.
    func sweep(for node: any StreamNode, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)
}

extension StreamBackend {
    /// Whether the polls of any keyset can be served; also true without a keyset. On a node of a cluster they are refused until the leader has
    /// sent the keyset's state (rule CB-24).
    package var servesPolls: Bool {
        var isServing = true
        for application in applications where application.refusal == nil {
            if application.isComplete { return true }
            isServing = false
        }
        return isServing
    }
}

/// One server, as seen by the backend of its keysets.
package protocol StreamNode: AnyObject, Sendable {
    /// The server's event loops, numbered across all servers.
    var eventLoopIDs: EventLoopSet { get }

    /// Applies a change to this server. Called in the order of decisions, without a lock held.
    func apply(_ change: StreamChange)
}

/// A change that a decision causes, for the nodes that it concerns.
package enum StreamChange: Sendable {
    /// Held polls on these event loops may have something to read.
    case wake(application: Int, PollWake, on: EventLoopSet)
    /// The keyset has changed: its held polls have to be checked again.
    case review(application: Int)
}

/// The keysets of a new configuration, with prepared applications for those that are new.
package struct PubNubReload: Sendable {
    package let keysets: [Keyset]
    let new: [PubNubApplication]
    /// The changes of each partition of a cluster that has several; empty elsewhere.
    var partitions: [PubNubReload] = []

    init(keysets: [Keyset], new: [PubNubApplication]) {
        self.keysets = keysets
        self.new = new
    }
}
