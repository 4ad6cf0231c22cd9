import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// The nodes of a cluster as one ``ChannelNode`` of the leader's channels. Each node counts as one event loop, and a change that concerns
/// several nodes is sent to all of them as one message.
///
/// This object joins the channels before all other nodes. As the first node it also gets the webhook events, which it passes to the
/// leader's own service.
final class RemoteNodes: ChannelNode {
    private struct State: Sendable {
        var numbers: [ClusterNode: Int] = [:]
        var nodes: [Int: ClusterNode] = [:]
        /// A node whose connections are about to end. Changes are not sent to it.
        var spared: ClusterNode?
        var service: PusherService?
        /// For each presence channel, the numbers of the nodes that have its current list of members.
        var rosters: [ChannelID: EventLoopSet] = [:]

        mutating func remove(_ number: Int, from channel: ChannelID) {
            rosters[channel]?.remove(number)
            if rosters[channel]?.isEmpty == true { rosters[channel] = nil }
        }
    }

    private let state = NIOLockedValueBox(State())
    private let output: any ClusterOutput
    private let records: LeaderRecords
    private let clock: ServerClock

    /// The number of the leader's own service, which has no subscribers.
    static let ownEventLoopID = 0
    /// The largest number of nodes in a cluster that Pusher can serve.
    static let capacity = EventLoopSet.capacity - 1

    let eventLoopIDs = (1..<EventLoopSet.capacity).reduce(into: EventLoopSet()) { $0.insert($1) }
    /// Always empty: the leader has no information about the queues of other nodes (rule CP-40).
    let fullEventLoops = EventLoopSet()

    init(_ output: any ClusterOutput, _ records: LeaderRecords, clock: ServerClock) {
        self.clock = clock
        self.output = output
        self.records = records
    }

    /// Sets the service that sends webhooks from now on; nil for none.
    func tellWebhooks(by service: PusherService?) {
        state.withLockedValue { $0.service = service }
    }

    /// The event loop number of a node, assigned at the first call; nil when all numbers are taken.
    func number(of node: ClusterNode) -> Int? {
        state.withLockedValue { state in
            if let number = state.numbers[node] { return number }
            guard let number = (1...Self.capacity).first(where: { state.nodes[$0] == nil }) else { return nil }
            state.numbers[node] = number
            state.nodes[number] = node
            return number
        }
    }

    func forget(_ node: ClusterNode) {
        state.withLockedValue { state in
            guard let number = state.numbers.removeValue(forKey: node) else { return }
            state.nodes[number] = nil
            for channel in Array(state.rosters.keys) { state.remove(number, from: channel) }
        }
    }

    // MARK: Members

    /// Records that a node has the list of members of a presence channel from now on. Returns whether the node had the list before.
    func giveMembers(of channel: ChannelID, to number: Int) -> Bool {
        state.withLockedValue { state in
            defer { state.rosters[channel, default: EventLoopSet()].insert(number) }
            return state.rosters[channel]?.contains(number) == true
        }
    }

    /// Records that a node no longer has the list of members of a channel.
    func forgetMembers(of channel: ChannelID, at number: Int) {
        state.withLockedValue { $0.remove(number, from: channel) }
    }

    /// Records that a node has no list of members of any channel.
    func forgetMembers(at number: Int) {
        state.withLockedValue { state in
            for channel in Array(state.rosters.keys) { state.remove(number, from: channel) }
        }
    }

    func note(_ change: MemberChange, of channel: ChannelID, audience: EventLoopSet) {
        let audience: ClusterAudience? = state.withLockedValue { state in
            guard let known = state.rosters[channel] else { return nil }
            // The change is not sent to nodes without subscribers and to the spared node, so their lists are invalid from now on.
            let spared = state.spared.flatMap { state.numbers[$0] }
            let rest = known.filter { audience.contains($0) && $0 != spared }
            state.rosters[channel] = rest.isEmpty ? nil : rest.reduce(into: EventLoopSet()) { $0.insert($1) }
            guard let first = rest.first else { return nil }
            return rest.count == 1 ? state.nodes[first].map { .node($0) } : .all
        }
        guard let audience else { return }
        output.emit(PusherFact.members(channel, change).encoded(), of: .pusher, to: audience)
    }

    /// Calls `body`; the changes that it causes are not sent to `node`.
    func sparing(_ node: ClusterNode, _ body: () -> Void) {
        state.withLockedValue { $0.spared = node }
        body()
        state.withLockedValue { $0.spared = nil }
    }

    // MARK: Facts

    func apply(_ change: ChannelChange) -> EventLoopSet {
        switch change {
        case .deliver(let frame, let channel, let eventLoops, let excluding, let positioned):
            guard let audience = audience(eventLoops) else {
                if let positioned { keep(frame, of: channel, excluding: excluding, positioned) }
                break
            }
            let fact = PusherFact.deliver(frame, channel, excluding: excluding, at: positioned.map { logged($0) })
            output.emit(fact.encoded(), of: .pusher, to: audience)
        case .subscribed(let subscriber, _, let confirmation):
            if case .elsewhere(let confirm, _) = subscriber.place { confirm(confirmation) }
        case .unsubscribed: break
        case .tell(let connections, let eventLoopID, let frame):
            guard let node = state.withLockedValue({ $0.nodes[eventLoopID] }) else { break }
            output.emit(PusherFact.tell(connections, frame).encoded(), of: .pusher, to: .node(node))
        case .close(let reason, let application, let user):
            output.emit(PusherFact.close(reason, application: application, user: user).encoded(), of: .pusher)
        case .interrupt: break
        }
        return EventLoopSet()
    }

    /// Writes an event without subscribers to the log, because a client that reconnects may request it from another leader (rule RV-40).
    func keep(_ frame: ByteBuffer, of channel: ChannelID, excluding: SocketID?, _ positioned: PositionedEvent) {
        let spared = state.withLockedValue(\.spared)
        let fact = PusherFact.deliver(frame, channel, excluding: excluding, at: logged(positioned))
        output.emit(fact.encoded(), of: .pusher, to: spared.map { .others($0) } ?? .all)
    }

    private func logged(_ event: PositionedEvent) -> LoggedPosition {
        LoggedPosition(
            position: event.position, isKept: event.isKept, user: event.user,
            time: Int64(clamping: clock.unixTicks() / 10_000))
    }

    /// The nodes that get a change for these event loops; nil for none. If several nodes have subscribers, the change is sent to all nodes,
    /// because a node without subscribers can ignore it after one table lookup.
    private func audience(_ eventLoops: EventLoopSet) -> ClusterAudience? {
        state.withLockedValue { state in
            var numbers = eventLoops.makeIterator()
            guard let first = numbers.next() else { return nil }
            let isOne = numbers.next() == nil
            if let spared = state.spared { return isOne && state.nodes[first] == spared ? nil : .others(spared) }
            guard isOne else { return .all }
            return state.nodes[first].map { .node($0) }
        }
    }

    // MARK: Webhooks

    func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, of application: Application) {
        records.note(news, on: ChannelID(application: application.id, name: channel))
        state.withLockedValue(\.service)?.tell(news, on: channel, of: application)
    }

    func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, ofApplication id: String) {
        state.withLockedValue(\.service)?.tell(news, on: channel, ofApplication: id)
    }

    func filled(_ channel: String, of application: Application) {
        state.withLockedValue(\.service)?.filled(channel, of: application)
    }
}
