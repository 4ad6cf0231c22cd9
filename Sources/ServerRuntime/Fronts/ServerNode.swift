import ServerValues

/// A server (node) among those that share one backend: the ids of its event loops, and the objects that all nodes share.
///
/// The event loops of all nodes are numbered together, so that one number in the shared state identifies the node and the event loop of a
/// connection. A server that shares nothing is the only node.
package struct ServerNode: Sendable {
    /// The id of the server's first event loop. Its other event loops have the ids that follow.
    package let firstEventLoopID: Int
    package let congestion: LoopCongestion
    package let names: MetricNames
    /// The feed of events that viewers of the console watch.
    package let feed: LiveFeed

    package init(
        firstEventLoopID: Int = 0, congestion: LoopCongestion = LoopCongestion(), names: MetricNames = MetricNames(),
        feed: LiveFeed = LiveFeed()
    ) {
        self.feed = feed
        self.firstEventLoopID = firstEventLoopID
        self.congestion = congestion
        self.names = names
    }
}
