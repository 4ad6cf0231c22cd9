import ServerRuntime
import ServerStorage

/// Owns the keysets that several servers share: messages, presence, groups, grants, message actions and history.
///
/// All changes of a keyset (``PubNubApplication``) are made under its lock by ``PubNubApplication/change(_:)``, one after the other. The
/// effects of a change are passed to the nodes as `StreamChange`s. Reads are answered from the process's own copy of the keyset.
/// ``LocalStreams`` is the backend for servers in one process. All methods may be called from any thread.
package protocol StreamBackend: AnyObject, Sendable {
    /// Adds a server. From now on the server receives the changes that concern its event loops.
    func join(_ node: any StreamNode)
    /// Removes a server. Its event loops are no longer listed as holders of polls.
    func leave(_ node: any StreamNode)

    /// The store, and the source of timetokens.
    var storage: StreamStorage { get }
    /// The applications, indexed by their numbers. A keyset that is no longer configured stays in the list, so that its data is available
    /// when the keyset is configured again.
    var applications: [PubNubApplication] { get }
    /// The configured keyset with this subscribe key; nil when there is none.
    func application(subscribeKey: String) -> PubNubApplication?

    /// Prepares a change of the keysets without applying it. Do not call this method a second time before ``take(_:)``.
    ///
    /// - Throws: an error when the store cannot restore a new keyset.
    func prepare(_ keysets: [Keyset]) async throws -> PubNubReload
    /// Serves exactly the keysets of `reload` from now on. If several keysets have the same subscribe key, the first one is used (rule
    /// PV-150).
    func take(_ reload: PubNubReload)

    /// The delivery counts of push webhooks, by keyset. Only one server sends the webhooks; for all other servers the list is empty.
    func pushCounts(for node: any StreamNode) -> [(application: PubNubApplication, counts: WebhookDelivery.Counts)]

    /// Performs the periodic work: users time out, and messages that are too old for catching up are dropped. Every node calls this method;
    /// only the call of the first node has an effect.
    ///
    /// - Parameter later: schedules a closure behind other work of the node.
    func sweep(for node: any StreamNode, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)
}

extension StreamBackend {
    /// Whether polls can be served for at least one keyset, or there is no keyset. A node of a cluster refuses polls until the leader has
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

/// The part of a server that the backend of its keysets uses: the server's event loops, and a method that receives changes.
package protocol StreamNode: AnyObject, Sendable {
    /// The server's event loops; their numbers are unique across all servers of the process.
    var eventLoopIDs: EventLoopSet { get }

    /// Applies a change to this server. The calls come in the order of the decisions, and no lock is held.
    func apply(_ change: StreamChange)
}

/// The effect of a change of a keyset on the servers that hold affected polls.
package enum StreamChange: Sendable {
    /// Held polls on these event loops may have messages to read.
    case wake(application: Int, PollWake, on: EventLoopSet)
    /// The keyset's configuration has changed: its held polls have to be checked again.
    case review(application: Int)
}

/// The keysets of a new configuration, with prepared applications for the new keysets.
package struct PubNubReload: Sendable {
    package let keysets: [Keyset]
    let new: [PubNubApplication]
    /// The reload of each partition, in a cluster with several partitions; otherwise empty.
    var partitions: [PubNubReload] = []

    init(keysets: [Keyset], new: [PubNubApplication]) {
        self.keysets = keysets
        self.new = new
    }
}
