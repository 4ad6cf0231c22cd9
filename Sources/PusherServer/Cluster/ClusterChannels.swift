import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerCluster
import ServerRuntime
import ServerStorage
import WireCoding

/// The ``ChannelBackend`` of one node in a cluster: sends commands to the leader, and applies the leader's decisions to the node's
/// connections.
///
/// Stores the subscriptions and sign-ins of the node's own connections: it needs them to deliver events, and announces them to a new
/// leader. Reads return data of this node only, because requests of the HTTP API are forwarded to the leader (rule CP-3).
package final class ClusterChannels: ChannelBackend {
    struct State: Sendable {
        var node: (any ChannelNode)?
        var subscriptions = NodeSubscriptions()
        var pending: PendingSubscriptions
        var hasTimer = false
        /// Whether a task has been scheduled that sends the queued subscriptions.
        var isSending = false
        /// The members of each presence channel in which the node has subscriptions; the node adds them to confirmations (rule CR-87).
        var rosters: [ChannelID: PresenceRoster] = [:]
        /// Whether the leader accepts ``PusherRequest/join(_:_:member:_:)``. If so, the node itself adds the members to confirmations.
        var leaderTakesJoins = false
        /// Whether the leader accepts ``PusherRequest/events(_:)``: events that the node has encoded.
        var leaderTakesEvents = false
    }

    let bus: any ClusterBus
    /// How long a call of a client waits for the leader's answer before it fails; 3 s by default.
    let callLimit: Duration
    /// How long a subscription waits for the leader, counted from the leader's last answer to any subscription.
    let patience: TimeAmount
    let clock: ServerClock
    let state: NIOLockedValueBox<State>
    let users = NIOLockedValueBox(NodeUsers())
    /// The partition of the cluster whose leader decides about these channels.
    let partition: ChannelPartition
    private let connections = NIOLockedValueBox(NodeConnections())
    private let leaderRecoveries: @Sendable () -> [(application: String, tally: RecoveryTally)]
    private let leaderWebhooks: @Sendable () -> [Identifier: [WebhookReport]]
    private let leaderEvents: @Sendable () -> [Identifier: EventCounts]

    /// Answers of more than this number of bytes are decoded on a thread pool instead of the bus's event loop.
    private static let longAnswer = 65_536

    /// The largest number of entries in one request of an announcement.
    private static let announced = 1_000

    /// - Parameters:
    ///   - callLimit: how long a call waits for the leader.
    ///   - patience: how long a subscription waits for the leader, counted from the leader's last answer, before its connection is closed.
    ///     The default equals the time for which a node may be disconnected from the store.
    ///   - recoveries: the sizes of the recovery histories, if this process leads.
    ///   - webhooks: the delivery counts of webhook events from the time in which this process was the leader.
    ///   - events: the events of the HTTP API from the time in which this process was the leader.
    ///   - partition: the partition of the cluster to whose leader `bus` sends requests.
    package init(
        bus: any ClusterBus, clock: ServerClock, callLimit: Duration = .seconds(3), patience: Duration = .seconds(30),
        pending: PendingLimits = .init(), partition: ChannelPartition = .only,
        recoveries: @escaping @Sendable () -> [(application: String, tally: RecoveryTally)] = { [] },
        webhooks: @escaping @Sendable () -> [Identifier: [WebhookReport]] = { [:] },
        events: @escaping @Sendable () -> [Identifier: EventCounts] = { [:] }
    ) {
        self.partition = partition
        leaderRecoveries = recoveries
        leaderWebhooks = webhooks
        leaderEvents = events
        self.bus = bus
        self.clock = clock
        self.callLimit = callLimit
        self.patience = TimeAmount(patience)
        state = NIOLockedValueBox(State(pending: PendingSubscriptions(pending)))
        bus.attach(self, of: .pusher)
    }

    // MARK: Requests

    /// Sends a request to the leader, and repeats it without a time limit until it is answered. If the leader changes, the request is sent
    /// to the new leader.
    func tell(_ request: PusherRequest, _ completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void) {
        bus.request(request.encoded(), of: .pusher, within: nil, isRepeatable: true, completion: completion)
    }

    /// Sends the leader a request that fails after `callLimit`. A later answer would be of no use.
    private func ask(_ request: PusherRequest, _ completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void) {
        bus.request(request.encoded(), of: .pusher, within: callLimit, isRepeatable: true, completion: completion)
    }

    /// Like ``ask(_:_:)``, for a request with a long answer. The answer is not written to the log (rule CR-40).
    private func query(_ request: PusherRequest, _ completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void) {
        bus.query(request.encoded(), of: .pusher, within: callLimit, isRepeatable: true, completion: completion)
    }

    /// Sends a partition's leader the part of an HTTP API request that concerns the partition.
    func ask(_ request: PartitionRequest, _ completion: @escaping @Sendable (PartitionResult) -> Void) {
        let answered: @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void = { result in
            switch result {
            case .success(let buffer):
                @Sendable func read() -> PartitionResult {
                    // An empty answer means that the leader could not read the request.
                    (try? PartitionAnswer(decoding: buffer)).map { .answer($0) } ?? .failure(.unknown)
                }
                // A long list of channels is decoded on the thread pool, because the bus's event loop must not fall behind the log.
                guard buffer.readableBytes > Self.longAnswer else { return completion(read()) }
                NIOThreadPool.singleton.submit { state in
                    if case .active = state { completion(read()) } else { completion(.failure(.closed)) }
                }
            case .failure(let failure): completion(.failure(failure))
            }
        }
        switch request {
        case .events: ask(.partition(request), answered)
        case .spend, .list: query(.partition(request), answered)
        }
    }

    /// Whether the leader has announced that it accepts encoded events (``PusherFact/takesEvents``).
    var takesEvents: Bool { state.withLockedValue(\.leaderTakesEvents) }

    /// Sends the leader events of the HTTP API for channels of its partition.
    ///
    /// - Parameter completion: called with nil when the leader could not read the request, and has therefore done nothing.
    func publish(_ events: EncodedEvents, _ completion: @escaping @Sendable (PartitionResult?) -> Void) {
        ask(.events(events)) { result in
            switch result {
            // An empty answer comes from a leader of an earlier version that has become the leader since the request was made.
            case .success(let buffer) where buffer.readableBytes == 0: completion(nil)
            case .success(let buffer):
                completion((try? PartitionAnswer(decoding: buffer)).map { .answer($0) } ?? .failure(.unknown))
            case .failure(let failure): completion(.failure(failure))
            }
        }
    }

    /// Forwards a request of the HTTP API to the leader, which answers it (rule CP-10).
    package func forward(_ request: HTTPRequest, _ completion: @escaping @Sendable (HTTPAnswer) -> Void) {
        var request = request
        // The signature of a Pusher request is in its query, so the leader does not need the header fields.
        request.headers = [:]
        let answered: @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void = { result in
            switch result {
            case .success(let buffer):
                completion((try? HTTPAnswer(decoding: buffer)) ?? HTTPAnswer(HTTPProblem(.unknown)))
            case .failure(let failure): completion(HTTPAnswer(HTTPProblem(failure)))
            }
        }
        if request.method == "GET" {
            query(.http(request), answered)
        } else {
            ask(.http(request), answered)
        }
    }

    package func publish(_ publication: ChannelPublication) -> EventLoopSet {
        switch publication.source {
        case .client(let event):
            guard let sender = publication.excluding else { break }
            ask(.relay(event, application: publication.application.id, sender: sender)) { _ in }
        case .server: ask(.publish(ForwardedPublication(publication, at: clock.monotonic()))) { _ in }
        }
        return full(of: publication.channel)
    }

    /// The node's event loops that have subscribers of the channel and full queues. A connection that publishes to the channel pauses for
    /// them.
    private func full(of channel: ChannelID) -> EventLoopSet {
        state.withLockedValue { state in
            guard let full = state.node?.fullEventLoops, !full.isEmpty else { return EventLoopSet() }
            return state.subscriptions.audience(of: channel).filter { full.contains($0) }
                .reduce(into: EventLoopSet()) { $0.insert($1) }
        }
    }

    package func close(_ reason: PusherCloseReason, application: String, user: String?) {
        tell(.close(reason, application: application, user: user)) { _ in }
    }

    // MARK: Nodes

    package func join(_ node: any ChannelNode) {
        state.withLockedValue { $0.node = node }
    }

    package func leave(_ node: any ChannelNode) {
        state.withLockedValue { $0.node = nil }
    }

    // MARK: Limits

    package func openConnection(of application: Application) -> ConnectionPlace {
        connections.withLockedValue { $0.open(application.id, limit: application.limits.connections) }
    }

    package func awaitPlace(
        of application: Application, _ completion: @escaping @Sendable (ConnectionPlace) -> Void
    ) -> UInt64 {
        let deadline = clock.monotonic().advanced(by: callLimit)
        let ticket = connections.withLockedValue { $0.wait(for: application.id, until: deadline, completion) }
        askForPlaces(of: application.id)
        return ticket
    }

    package func giveUpPlace(_ ticket: UInt64, of application: Application) {
        connections.withLockedValue { $0.giveUp(ticket, of: application.id) }
    }

    /// Requests permission from the leader for the waiting connections of an application. Each application has at most one such request in
    /// progress. The request has no deadline, because the node has to return permissions that arrive too late.
    private func askForPlaces(of application: String) {
        guard let count = connections.withLockedValue({ $0.ask(for: application) }) else { return }
        tell(.places(ApplicationCount(application: application, count: count))) { [self] result in
            var places: Int?
            // The leader's answer is empty when the leader's configuration does not have the application.
            if case .success(let buffer) = result, let given = try? UInt32(decoding: buffer) { places = Int(given) }
            let told = connections.withLockedValue { $0.answered(places, for: application) }
            for (completion, place) in told { completion(place) }
            askForPlaces(of: application)
            if connections.withLockedValue(\.isUrgent) { reportConnections() }
        }
    }

    package func closeConnection(of application: Application) {
        let isLimited = application.limits.connections != nil
        connections.withLockedValue { $0.close(application.id, isLimited: isLimited) }
        // The leader is informed at once, because a client that reconnects through another node must not be refused on account of its own
        // old connection (rule SP-4).
        if isLimited { reportConnections() }
    }

    package func connections(of application: Application) -> Int {
        connections.withLockedValue { $0.known(application.id) }
    }

    /// This node does not count published messages and queries, because the leader answers the requests and counts them.
    package func spend(publishes: Int, of application: Application) {}
    package func spendQuery(of application: Application) {}

    package func sweep(for node: any ChannelNode) {
        for completion in connections.withLockedValue({ $0.expire(at: clock.monotonic()) }) { completion(.unavailable) }
        reportConnections()
    }

    private func reportConnections() {
        guard let report = connections.withLockedValue({ $0.report() }) else { return }
        tell(.connectionChanges(report)) { [self] result in
            let isUrgent = connections.withLockedValue { connections in
                guard case .success = result else {
                    connections.failed(report)
                    return false
                }
                connections.reported(report)
                return connections.isUrgent
            }
            if isUrgent { reportConnections() }
        }
    }
}

// MARK: - Decisions of the leader

extension ClusterChannels: ClusterMember {
    package func apply(_ fact: ByteBuffer) {
        guard let fact = try? PusherFact(decoding: fact) else { return }
        switch fact {
        case .deliver(let frame, let channel, let excluding, let position):
            let (node, audience) = state.withLockedValue { ($0.node, $0.subscriptions.audience(of: channel)) }
            guard !audience.isEmpty else { return }
            let positioned = position.map { PositionedEvent(frame, at: $0.position) }
            _ = node?.apply(.deliver(frame, channel, in: audience, excluding: excluding, positioned: positioned))
        case .tell(let connections, let frame):
            let places = users.withLockedValue { $0.places(of: connections) }
            let node = state.withLockedValue(\.node)
            for (eventLoopID, connections) in places {
                _ = node?.apply(.tell(connections, eventLoopID: eventLoopID, frame))
            }
        case .close(let reason, let application, let user):
            _ = state.withLockedValue(\.node)?.apply(.close(reason, application: application, user: user))
        case .settled(let number, let answer): settle(batched: number, answer)
        case .mark: break
        case .members(let channel, let change):
            state.withLockedValue { state in
                guard var roster = state.rosters.removeValue(forKey: channel) else { return }
                switch change {
                case .added(let member): _ = roster.join(member)
                case .removed(let user): _ = roster.leave(userID: user)
                }
                state.rosters[channel] = roster
            }
        case .takesJoins: state.withLockedValue { $0.leaderTakesJoins = true }
        case .takesEvents: state.withLockedValue { $0.leaderTakesEvents = true }
        case .uses(let uses, let isWhole): partition.note(uses, isWhole: isWhole)
        case .connections(let totals): connections.withLockedValue { $0.learn(totals) }
        }
    }

    package func announcement() -> [ByteBuffer] {
        let holdings = state.withLockedValue { state in
            // The new leader may run an earlier version that does not accept the requests `join` and `events`. This node uses these two
            // requests again after the leader has announced that it accepts them.
            (state.leaderTakesJoins, state.leaderTakesEvents) = (false, false)
            return state.subscriptions.holdings
        }
        let recovering = state.withLockedValue(\.subscriptions.recovering)
        let users = users.withLockedValue(\.held)
        let requests: [PusherRequest] =
            [.connections(connections.withLockedValue { $0.announce() })] + Self.parts(holdings).map { .holdings($0) }
            + Self.parts(users).map { .users($0) } + Self.parts(recovering).map { .recovering($0) }
        return requests.map { $0.encoded() }
    }

    private static func parts<Element>(_ list: [Element]) -> [[Element]] {
        stride(from: 0, to: list.count, by: announced).map { Array(list.clamped(from: $0, to: $0 + announced)) }
    }

    /// Closes the node's connections after events were lost. Reconnected clients subscribe again and request missing events. Clients of
    /// other nodes are notified that the members of this node have left, because not all nodes lose events at the same time.
    ///
    /// With several partitions, only connections that have subscriptions or a signed-in user in this partition are closed (rule CR-85).
    package func interrupted() {
        state.withLockedValue { $0.rosters = [:] }
        guard !partition.isOneOfSeveral else {
            _ = state.withLockedValue(\.node)?.apply(.interrupt(.interrupted, partition))
            return
        }
        let applications = connections.withLockedValue(\.own)
        let node = state.withLockedValue(\.node)
        for count in applications { _ = node?.apply(.close(.interrupted, application: count.application, user: nil)) }
    }
}

extension ClusterChannels.State {
    /// The frames of a presence channel's confirmation with the node's list of members; nil if the node does not have the list.
    mutating func frames(of channel: ChannelID, _ confirmation: MemberConfirmation) -> ByteBuffer? {
        guard var roster = rosters.removeValue(forKey: channel) else { return nil }
        roster.encode()
        let frames = confirmation.frames(of: channel.name, roster)
        rosters[channel] = roster
        return frames
    }
}

extension PusherCloseReason {
    static let interrupted = PusherCloseReason(4200, "The server has lost events for this connection; please connect again.")
}

// MARK: - Reads

extension ClusterChannels {
    package func occupancy(of channel: ChannelID) -> ChannelOccupancy? {
        let isPresence = ChannelTraits(of: channel).contains(.presence)
        return state.withLockedValue { $0.subscriptions.occupancy(of: channel, isPresence: isPresence) }
    }

    package func members(of channel: ChannelID) -> [PresenceMember] {
        state.withLockedValue { $0.subscriptions.members(of: channel) }
    }

    /// Always nil on a node, because only the leader stores the last events of cache channels.
    package func cached(_ channel: ChannelID) -> CachedMessage? { nil }

    package func audience(of channel: ChannelID) -> EventLoopSet {
        state.withLockedValue { $0.subscriptions.audience(of: channel) }
    }

    package func forEachOccupied(application: String, prefix: String, _ body: ([ChannelOccupancy]) -> Bool) {
        let channels = state.withLockedValue { $0.subscriptions.occupied(application: application, prefix: prefix) }
        _ = body(channels.compactMap { occupancy(of: $0) })
    }

    package var channelCount: Int { state.withLockedValue(\.subscriptions.occupiedCount) }

    package var tallies: [(application: String, tally: ChannelTally)] {
        state.withLockedValue(\.subscriptions.tallies).map { ($0.key.text, $0.value) }
    }

    /// The sizes of the recovery histories that the leader in this process keeps; empty if this process does not lead.
    package var recoveries: [(application: String, tally: RecoveryTally)] { leaderRecoveries() }
    package var webhookReports: [Identifier: [WebhookReport]] { leaderWebhooks() }
    package var eventCounts: [Identifier: EventCounts] { leaderEvents() }

    package var answersAtOnce: Bool { false }
}
