import RealtimeHub
import ServerRuntime

/// Where the keysets live that several servers share: streams, presence, groups, grants, actions and history.
///
/// A keyset (``PubNubApplication``) decides under its lock: whatever changes one goes through ``PubNubApplication/change(_:)``, in one
/// order, and what comes of it is handed to the nodes as changes. Reads are answered from the keyset's copy in the process.
/// ``LocalStreams`` is the backend in the process. All methods may be called from any thread.
package protocol StreamBackend: AnyObject, Sendable {
    /// A server takes part from now on: it gets the changes that concern its event loops.
    func join(_ node: any StreamNode)
    /// A server no longer takes part. State for its event loops is dropped.
    func leave(_ node: any StreamNode)

    /// Assigns timetokens and owns the store.
    var storage: StreamStorage { get }
    /// The applications, indexed by their numbers. A keyset that is no longer configured stays, so that its data is there when it is
    /// configured again.
    var applications: [PubNubApplication] { get }
    /// The keyset that serves requests with this key.
    func application(subscribeKey: String) -> PubNubApplication?

    /// Prepares a change of the keysets without applying it. Not to be called again before ``take(_:)``.
    ///
    /// - Throws: when the store does not say what it remembers of a new keyset.
    func prepare(_ keysets: [Keyset]) async throws -> PubNubReload
    /// Serves these keysets from now on, and no others. Of several with the same key the first one counts (rule PV-150).
    func take(_ reload: PubNubReload)

    /// The delivery counts of push webhooks, by keyset; empty for all servers but the one that sends them.
    func pushCounts(for node: any StreamNode) -> [(application: PubNubApplication, counts: WebhookDelivery.Counts)]

    /// Applies what depends on time: users time out, and messages that are too old for catching up are dropped. Every node calls it; it
    /// is done for the first one only.
    ///
    /// - Parameter later: runs something after other work of the node has had its turn.
    func sweep(for node: any StreamNode, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)
}

/// One server, from the point of view of the backend of its keysets.
package protocol StreamNode: AnyObject, Sendable {
    /// The server's event loops, among those of all servers.
    var eventLoopIDs: EventLoopSet { get }

    /// Does its part of what was decided. Called in the order of decisions, with no lock held.
    func apply(_ change: StreamChange)
}

/// A change that follows from a decision, for the nodes that it concerns.
package enum StreamChange: Sendable {
    /// Held polls on these event loops may have something to read.
    case wake(application: Int, PollWake, on: EventLoopSet)
    /// The keyset has changed: its held polls have to be looked at again.
    case review(application: Int)
}

/// Keysets that are about to be taken over, and those of them that have to be added, ready to serve.
package struct PubNubReload: Sendable {
    package let keysets: [Keyset]
    let new: [PubNubApplication]
}
