import ServerValues

/// A server's place among those that share one backend: the numbers of its event loops, and what all of them have in common.
///
/// The event loops of all nodes are numbered together, so that the shared state can say with one number on which
/// event loop of which node a connection is. A server that shares nothing is the only node.
package struct ServerNode: Sendable {
    /// The number of the server's first event loop. Those of the others follow.
    package let firstEventLoopID: Int
    package let congestion: LoopCongestion
    package let names: MetricNames
    /// Shows events to the viewers of the console.
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
