import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage

/// The channels of all servers of one process, in memory.
///
/// Channels are divided into shards with one lock each. The effects of a change are passed to the nodes under the shard's lock. The users
/// of each application have a separate lock, and changes of them are passed on under that lock (rule HB-50).
package final class LocalChannels: ChannelBackend {
    let nodes = NodeList<any ChannelNode>()
    let quota = SubscriptionQuota()
    private let budget = RequestBudget()
    private let connections = NIOLockedValueBox<[Identifier: Int]>([:])
    private let users = NIOLockedValueBox<[Identifier: NIOLockedValueBox<SignedInUsers>]>([:])
    private let shards: [NIOLockedValueBox<LocalShard>]
    /// The partition of the cluster that these channels belong to.
    let partition: ChannelPartition
    /// Makes a unique name for a new history of events.
    private let makeEpoch: @Sendable () -> String
    /// Passes events of channels that Pusher shares with the server's other services, such as PubNub, to these services; nil when no
    /// channel is shared.
    let bridge: (any BridgeTap)?
    /// Called for each event that a cache channel stores, under the lock of the channel's shard.
    let remembering: (@Sendable (ChannelID, CachedMessage) -> Void)?
    /// Called for each event that has a position but no subscriber to receive it, under the lock of the channel's shard.
    let unheard: (@Sendable (ByteBuffer, ChannelID, SocketID?, PositionedEvent) -> Void)?
    private let clock: ServerClock
    private let userOfflineGrace: Duration
    /// The largest size, in bytes, of the member list in a confirmation for a presence channel.
    let maximumConfirmationBytes: Int

    /// - Parameters:
    ///   - userOfflineGrace: a user who reconnects within this time is not reported as offline to watchers.
    ///   - maximumPendingBytes: the largest number of bytes that may wait for one connection.
    ///   - remembering: called for each event that a cache channel stores.
    ///   - unheard: called for each event that has a position but no subscriber to receive it.
    ///   - makeEpoch: makes a unique name for a new history of events.
    ///   - partition: the partition of the cluster that has these channels.
    package init(
        clock: ServerClock, userOfflineGrace: Duration, maximumPendingBytes: Int, bridge: (any BridgeTap)? = nil,
        partition: ChannelPartition = .only,
        remembering: (@Sendable (ChannelID, CachedMessage) -> Void)? = nil,
        unheard: (@Sendable (ByteBuffer, ChannelID, SocketID?, PositionedEvent) -> Void)? = nil,
        makeEpoch: @escaping @Sendable () -> String = LocalShard.randomEpoch
    ) {
        self.makeEpoch = makeEpoch
        self.partition = partition
        self.bridge = bridge
        self.remembering = remembering
        self.unheard = unheard
        self.clock = clock
        self.userOfflineGrace = userOfflineGrace
        // With a larger list, the client would exceed the limit of pending bytes and be disconnected after each reconnect.
        maximumConfirmationBytes = maximumPendingBytes / 2
        // There are 16 shards even with one event loop, so that a search of all channels holds each lock only briefly.
        shards = (0..<16).map { _ in NIOLockedValueBox(LocalShard()) }
    }

    var now: MonotonicInstant { clock.monotonic() }
    /// The number of parts into which an application's memory limits are divided: the number of shards in all partitions.
    var shareCount: Int { shards.count * partition.shares }

    func newEpoch() -> String { makeEpoch() }

    func withShard<Result>(of channel: ChannelID, _ body: (inout LocalShard) throws -> Result) rethrows -> Result {
        try shards[ChannelShard.index(of: channel, among: shards.count)].withLockedValue(body)
    }

    /// Accesses the users of an application under their lock.
    func withUsers<Result>(of application: Application, _ body: (inout SignedInUsers) throws -> Result) rethrows -> Result {
        let signedIn = users.withLockedValue { users in
            let id = Identifier(application.id)
            if let known = users[id] { return known }
            let new = NIOLockedValueBox(SignedInUsers(offlineGrace: userOfflineGrace))
            users[id] = new
            return new
        }
        return try signedIn.withLockedValue(body)
    }

    // MARK: Nodes

    package func join(_ node: any ChannelNode) { nodes.join(node, as: node) }
    package func leave(_ node: any ChannelNode) { nodes.leave(node) }

    /// Removes all histories, because another process decides about the channels from now on.
    func forgetHistories() {
        for shard in shards {
            shard.withLockedValue { shard in
                shard.histories = ChannelHistories()
                (shard.leaving, shard.recording) = (nil, nil)
            }
        }
    }

    /// Passes all histories to `write` for the next leader, and then all later changes of the histories.
    ///
    /// - Parameters:
    ///   - budget: the largest number of bytes of events to write.
    ///   - write: called in the order of decisions, under the lock of a shard, so it may only enqueue.
    func handOverHistories(budget: Int, to write: @escaping @Sendable ([HistoryPart]) -> Void) {
        var budget = budget
        for shard in shards {
            shard.withLockedValue { shard in
                write(shard.histories.handOver(&budget))
                shard.leaving = write
            }
        }
    }

    /// Passes the positions of all histories to `write` now, and later the start and end of each history. Positions that change because of
    /// events are written by ``writeChangedPositions(_:)``.
    ///
    /// - Parameter write: called in the order of decisions, under the lock of a shard, so it may only enqueue.
    func recordHistories(to write: @escaping @Sendable ([HistoryPart]) -> Void) {
        for shard in shards {
            shard.withLockedValue { shard in
                shard.histories.noteChanges()
                shard.recording = write
                let all = shard.histories.all
                if !all.isEmpty { write(all) }
            }
        }
    }

    /// Passes to `write` the positions that have changed since the last call of this method. `write` is called under the lock of a shard,
    /// so it may only enqueue.
    func writeChangedPositions(_ write: ([HistoryPart]) -> Void) {
        for shard in shards {
            shard.withLockedValue { shard in
                let changed = shard.histories.takeChanged()
                if !changed.isEmpty { write(changed) }
            }
        }
    }

    /// Passes a frame to the nodes that have subscribers of a channel; returns the event loops whose queues are full.
    func deliver(
        _ frame: ByteBuffer, to channel: ChannelID, in audience: EventLoopSet, excluding: SocketID? = nil,
        positioned: PositionedEvent? = nil
    ) -> EventLoopSet {
        var full = EventLoopSet()
        guard !audience.isEmpty else {
            if let positioned { unheard?(frame, channel, excluding, positioned) }
            return full
        }
        for node in nodes.all where !node.eventLoopIDs.isDisjoint(with: audience) {
            full.formUnion(node.apply(.deliver(frame, channel, in: audience, excluding: excluding, positioned: positioned)))
        }
        return full
    }

    /// Passes a change to the node of an event loop.
    func apply(_ change: ChannelChange, at eventLoopID: Int) -> EventLoopSet {
        nodes.all.first { $0.eventLoopIDs.contains(eventLoopID) }?.apply(change) ?? EventLoopSet()
    }

    package func close(_ reason: PusherCloseReason, application: String, user: String?) {
        for node in nodes.all { _ = node.apply(.close(reason, application: application, user: user)) }
    }

    // MARK: Limits

    package func openConnection(of application: Application) -> ConnectionPlace {
        connections.withLockedValue { connections in
            let current = connections[Identifier(application.id), default: 0]
            if let limit = application.limits.connections, current >= limit { return .full }
            connections[Identifier(application.id)] = current + 1
            return .given
        }
    }

    package func closeConnection(of application: Application) {
        connections.withLockedValue { connections in
            let remaining = connections[Identifier(application.id), default: 1] - 1
            connections[Identifier(application.id)] = remaining > 0 ? remaining : nil
        }
    }

    /// Adds `change` to the number of connections that other nodes have for an application.
    func countConnections(_ change: Int, of application: String) {
        connections.withLockedValue { connections in
            let count = connections[Identifier(application), default: 0] + change
            connections[Identifier(application)] = count > 0 ? count : nil
        }
    }

    package func connections(of application: Application) -> Int {
        connections.withLockedValue { $0[Identifier(application.id), default: 0] }
    }

    package func spend(publishes: Int, of application: Application) throws(HTTPProblem) {
        guard partition.isHome(of: application.id) else { return }
        try budget.publish(publishes, for: application, at: now)
    }

    package func spendQuery(of application: Application) throws(HTTPProblem) {
        guard partition.isHome(of: application.id) else { return }
        try budget.query(for: application, at: now)
    }

    // MARK: Reads

    package func occupancy(of channel: ChannelID) -> ChannelOccupancy? {
        withShard(of: channel) { $0.hub.occupancy(of: channel) }
    }

    package func members(of channel: ChannelID) -> [PresenceMember] {
        withShard(of: channel) { $0.hub.members(of: channel) }
    }

    package func cached(_ channel: ChannelID) -> CachedMessage? {
        let now = now
        return withShard(of: channel) { $0.hub.cached(channel, at: now) }
    }

    package func audience(of channel: ChannelID) -> EventLoopSet {
        withShard(of: channel) { $0.hub.audience(of: channel) }
    }

    package func forEachOccupied(application: String, prefix: String, _ body: ([ChannelOccupancy]) -> Bool) {
        for shard in shards {
            guard body(shard.withLockedValue { $0.hub.occupied(application: application, prefix: prefix) }) else { return }
        }
    }

    package var channelCount: Int { shards.reduce(0) { $0 + $1.withLockedValue(\.hub.occupiedCount) } }

    package var tallies: [(application: String, tally: ChannelTally)] {
        shards.flatMap { shard in shard.withLockedValue { $0.hub.tallies.map { ($0.key.text, $0.value) } } }
    }

    package var recoveries: [(application: String, tally: RecoveryTally)] {
        shards.flatMap { shard in shard.withLockedValue { $0.histories.tallies.map { ($0.key.text, $0.value) } } }
    }

    /// The number of signed-in connections, and of users that are signed in or watched, of all applications.
    var userCounts: (connections: Int, users: Int) {
        users.withLockedValue { Array($0.values) }.reduce(into: (0, 0)) { total, signedIn in
            let (connections, users) = signedIn.withLockedValue { ($0.connectionCount, $0.userCount) }
            total.0 += connections
            total.1 += users
        }
    }

    // MARK: Time

    package func sweep(for node: any ChannelNode) {
        guard nodes.first === node else { return }
        for shard in shards { sweep(shard) }
        let now = now
        for signedIn in users.withLockedValue({ Array($0.values) }) {
            signedIn.withLockedValue { tell($0.takeNews(at: now)) }
        }
    }

    private func sweep(_ shard: NIOLockedValueBox<LocalShard>) {
        shard.withLockedValue { shard in
            for due in shard.hub.sweep(at: now) { announce(due) }
            if !shard.histories.isEmpty { shard.histories.sweep(at: now) }
            shard.tellEnded()
        }
    }
}
