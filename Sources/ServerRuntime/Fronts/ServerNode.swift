import ServerValues

/// A server's position among those that share one backend: the numbers of its event loops, and the objects that all of them share.
///
/// The event loops of all nodes are numbered together, so that one number in the shared state identifies the node and the event
/// loop of a connection. A server that shares nothing is the only node.
package struct ServerNode: Sendable {
    /// The number of the server's first event loop. Its other event loops have the following numbers.
    package let firstEventLoopID: Int
    package let congestion: LoopCongestion
    package let names: MetricNames
    /// Shows events to viewers of the console.
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
