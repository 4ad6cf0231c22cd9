import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime
import ServerStorage

/// The leader of a cluster for Pusher: decides about the channels of all nodes, whose connections are the subscribers.
///
/// The leader's own `service` has no connections. It answers requests of the HTTP API and sends webhooks. Called on one event loop.
final class PusherClusterLeader: ClusterLeader {
    let service: PusherService
    private let journal: ClusterWebhookJournal
    private let handover: HistoryHandover
    private let positions: HistoryPositions
    let channels: LocalChannels
    let remote: RemoteNodes
    let records: LeaderRecords
    let output: any ClusterOutput
    let eventLoop: any EventLoop
    private let holdings: NIOLockedValueBox<NodeHoldings>
    /// The last known configuration of each application, which is needed to remove connections after their application was removed.
    private let applications: NIOLockedValueBox<[Identifier: Application]>
    private let timer = NIOLockedValueBox<RepeatedTask?>(nil)
    /// Applications whose number of connections has changed and has to be sent to the nodes.
    private let counted = NIOLockedValueBox<Set<Identifier>>([])
    /// The use of each application, in channels and subscriptions, that was last sent to all nodes.
    let toldUses = NIOLockedValueBox<[Identifier: ChannelUse]>([:])
    /// Applications that are missing in this server's configuration, with the nodes that have subscriptions or users of them (rule CP-80).
    private let unserved: NIOLockedValueBox<[Identifier: Set<ClusterNode>]>

    init(
        service: PusherService, journal: ClusterWebhookJournal, handover: HistoryHandover, positions: HistoryPositions,
        channels: LocalChannels, remote: RemoteNodes, records: LeaderRecords, output: any ClusterOutput,
        eventLoop: any EventLoop, holdings: NodeHoldings, applications: [Identifier: Application],
        unserved: [Identifier: Set<ClusterNode>]
    ) {
        self.service = service
        self.journal = journal
        self.handover = handover
        self.positions = positions
        self.channels = channels
        self.remote = remote
        self.records = records
        self.output = output
        self.eventLoop = eventLoop
        self.holdings = NIOLockedValueBox(holdings)
        self.applications = NIOLockedValueBox(applications)
        self.unserved = NIOLockedValueBox(unserved)
    }

    var logger: Logger { service.context.logger }

    /// Starts the periodic sweep, which publishes delayed subscription counts, sends the nodes the counts that have changed, and removes
    /// expired data.
    func begin(sweeping interval: Duration) {
        let interval = TimeAmount(interval)
        let task = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] task in
            guard let self else { return task.cancel() }
            channels.sweep(for: remote)
            service.webhooks.sweep()
            records.sweep()
            tellConnections()
            tellUses()
            positions.sweep(channels)
        }
        timer.withLockedValue { $0 = task }
    }

    func prepareToResign() async {
        await service.webhooks.hold()
        if channels.recoveries.contains(where: { $0.tally.channels > 0 }) {
            handover.begin()
            channels.handOverHistories(budget: HistoryHandover.maximumBytes / 2) { [handover] in handover.write($0) }
        }
        await journal.settle(within: .seconds(3))
    }

    func close() async {
        timer.withLockedValue { $0 }?.cancel()
        remote.tellWebhooks(by: nil)
        channels.leave(remote)
        channels.leave(service)
        channels.forgetHistories()
        // Webhook events that are delayed or stored are not sent now, because the next leader sends them.
        await service.webhooks.close(tellingAll: false)
        for loop in service.context.loops { loop.queue.close() }
    }

    func application(_ id: String) -> Application? {
        if let application = service.settings.applications.application(id: id) {
            applications.withLockedValue { $0[Identifier(id)] = application }
            return application
        }
        return applications.withLockedValue { $0[Identifier(id)] }
    }

    // MARK: Applications

    /// Applies a change of this node's application configuration.
    func applicationsChanged() {
        service.applicationsChanged()
        eventLoop.execute { [self] in serveNewApplications() }
    }

    /// Closes connections of applications that were missing in this server's configuration until now. This leader has refused their
    /// subscriptions and would not deliver events to them, so their clients must connect again (rule CP-80).
    private func serveNewApplications() {
        for id in unserved.withLockedValue({ Array($0.keys) }) where application(id.text) != nil {
            let nodes = unserved.withLockedValue { $0.removeValue(forKey: id) } ?? []
            let fact = PusherFact.close(.interrupted, application: id.text, user: nil).encoded()
            for node in nodes.sorted() { output.emit(fact, of: .pusher, to: .node(node)) }
        }
    }

    /// Records the applications that a node has announced and that are missing in this server's configuration.
    private func note(_ applications: Set<Identifier>, unservedOf node: ClusterNode) {
        let missing = applications.filter { application($0.text) == nil }
        unserved.withLockedValue { unserved in
            for id in Array(unserved.keys) {
                unserved[id]?.remove(node)
                if unserved[id]?.isEmpty == true { unserved[id] = nil }
            }
            for id in missing { unserved[id, default: []].insert(node) }
        }
    }

    // MARK: Requests

    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
        guard let request = try? PusherRequest(decoding: request) else {
            logger.error(
                "a Pusher request of another node cannot be decoded: run the same version on all nodes",
                metadata: ["node": "\(node)"])
            return reply(ByteBuffer())
        }
        switch request {
        case .http(let request):
            service.answer(forwarded: request, on: eventLoop) { reply($0.encoded()) }
            return
        case .subscribe(let socketID, let channel, let member, let recovery):
            return subscribe(socketID, to: channel, member, recovery, of: node) { reply($0.encoded()) }
        case .join(let socketID, let channel, let member, let recovery):
            return subscribe(socketID, to: channel, member, recovery, of: node, addsMembers: true) { reply($0.encoded()) }
        case .subscribeAll(let socketID, let id, let channels):
            for subscription in channels {
                let number = subscription.number
                subscribe(socketID, to: ChannelID(application: id, name: subscription.channel), nil, of: node) {
                    [output] answer in
                    output.emit(PusherFact.settled(number, answer).encoded(), of: .pusher, to: .node(node))
                }
            }
        case .places(let wanted): return give(wanted, to: node, reply)
        case .connectionChanges(let changes): change(changes, of: node)
        case .connections(let counts): count(counts, of: node)
        case .publish(let publication): publish(publication)
        case .relay(let event, let id, let sender): relay(event, id, from: sender)
        case .unsubscribe(let id, let ended, let isSilent):
            func unsubscribe() {
                for holding in ended { end(ChannelID(application: id, name: holding.channel), holding.user, of: node) }
            }
            if isSilent { remote.sparing(node) { unsubscribe() } } else { unsubscribe() }
        case .signIn(let connection, let answers): signIn(connection, answers, of: node)
        case .signOut(let socketID, _): signOut(socketID, of: node)
        case .close(let reason, let id, let user): channels.close(reason, application: id, user: user)
        case .partition(let request): return handle(request, reply)
        case .events(let events): return reply(publish(events).encoded())
        case .holdings, .users, .recovering: break
        }
        reply(ByteBuffer())
    }

    private func publish(_ publication: ForwardedPublication) {
        guard let application = application(publication.channel.application) else { return }
        channels.publish(
            publication.publication(of: application, traits: ChannelTraits(of: publication.channel), at: service.now))
    }

    private func relay(_ event: PusherClientEvent, _ id: String, from sender: SocketID) {
        guard let application = application(id) else { return }
        let channel = ChannelID(application: id, name: event.channel)
        channels.publish(
            ChannelPublication(
                channel: channel, traits: ChannelTraits(of: channel), application: application,
                frame: PusherWire.frame(event.message), source: .client(event), excluding: sender))
    }

    // MARK: Subscriptions

    private func subscribe(
        _ socketID: SocketID, to channel: ChannelID, _ member: PresenceMember?, _ recovery: SubscriptionRecovery? = nil,
        of node: ClusterNode, addsMembers: Bool = false,
        answer: @escaping @Sendable (SubscribeAnswer) -> Void
    ) {
        guard let number = number(of: node), let application = application(channel.application) else {
            return answer(.refused(.unavailable))
        }
        let confirmMembers: @Sendable (PresenceRoster, MemberConfirmation) -> Void = { [remote] roster, confirmation in
            let isKnown = remote.giveMembers(of: channel, to: number)
            answer(isKnown ? .joined(confirmation) : .listed(roster.members, confirmation))
        }
        let place = ChannelSubscriber.Place.elsewhere(
            { answer(.confirmed($0)) }, members: addsMembers ? confirmMembers : nil)
        let subscriber = ChannelSubscriber(socketID: socketID, eventLoopID: number, place: place)
        channels.subscribe(
            ChannelSubscription(
                channel: channel, traits: ChannelTraits(of: channel), application: application, subscriber: subscriber,
                member: member, recovery: recovery)
        ) { [holdings, records] result in
            switch result {
            case .success: records.keep(holdings.withLockedValue { $0.add(channel, member, of: node) })
            case .failure(let refusal): answer(.refused(refusal))
            }
        }
    }

    /// Ends one subscription of the node to a channel. Does nothing if the leader counts no such subscription.
    private func end(_ channel: ChannelID, _ user: String?, of node: ClusterNode) {
        guard let number = number(of: node), let left = holdings.withLockedValue({ $0.remove(channel, user: user, of: node) })
        else { return }
        // The node's new number of subscriptions is stored after the resulting event is in the log. If the batch with this number is lost,
        // the next leader only ends the subscription a second time.
        defer { records.keep(left) }
        guard let application = application(channel.application) else { return }
        channels.unsubscribe(
            EndedSubscription(
                channel: channel, application: application, eventLoopID: number, socketID: .unnamed, userID: user))
        if user != nil, !channels.audience(of: channel).contains(number) { remote.forgetMembers(of: channel, at: number) }
    }

    private func number(of node: ClusterNode) -> Int? {
        if let number = remote.number(of: node) { return number }
        logger.error(
            "Pusher subscriptions of a node are refused: the cluster has more nodes than the limit",
            metadata: ["node": "\(node)", "limit": "\(RemoteNodes.capacity)"])
        return nil
    }

    // MARK: Users and connections

    private func signIn(_ connection: SignedInConnection, _ answers: [ByteBuffer], of node: ClusterNode) {
        guard let number = number(of: node) else { return }
        guard let application = application(connection.application) else {
            unserved.withLockedValue { _ = $0[Identifier(connection.application), default: []].insert(node) }
            return
        }
        holdings.withLockedValue { $0.signIn(connection, of: node) }
        records.keep(connection, of: node)
        channels.signIn(
            ConnectionSignIn(
                connection: UserConnection(connection.socketID, eventLoopID: number), application: application,
                user: connection.user, watchlist: connection.watchlist, answers: answers))
    }

    private func signOut(_ socketID: SocketID, of node: ClusterNode) {
        guard let number = number(of: node), let connection = holdings.withLockedValue({ $0.signOut(socketID, of: node) })
        else { return }
        records.forget(connection, of: node)
        guard let application = application(connection.application) else { return }
        channels.signOut(UserConnection(socketID, eventLoopID: number), of: application)
    }

    /// Grants a node the requested number of connections of an application, or as many as the application's limit allows. The node's new
    /// number of connections is stored together with the answer, so that the next leader has this number.
    private func give(_ wanted: ApplicationCount, to node: ClusterNode, _ reply: @escaping @Sendable (ByteBuffer) -> Void) {
        guard number(of: node) != nil, let application = application(wanted.application) else { return reply(ByteBuffer()) }
        let free = application.limits.connections.map { max($0 - channels.connections(of: application), 0) }
        let given = min(wanted.count, free ?? wanted.count)
        if given > 0 { change([ApplicationCount(application: wanted.application, count: given)], of: node) }
        reply(ByteBuffer(integer: UInt32(clamping: given)))
    }

    private func change(_ changes: [ApplicationCount], of node: ClusterNode) {
        let counts = holdings.withLockedValue { holdings in
            changes.map { change in
                let count = holdings.connections(of: change.application, at: node) + change.count
                return ApplicationCount(application: change.application, count: max(count, 0))
            }
        }
        count(counts, of: node)
    }

    /// Sets the numbers of connections of several applications on one node.
    private func count(_ counts: [ApplicationCount], of node: ClusterNode) {
        for count in counts {
            let isLimited = application(count.application)?.limits.connections != nil
            let (change, isKept) = holdings.withLockedValue { $0.count(count, of: node, isLimited: isLimited) }
            channels.countConnections(change, of: count.application)
            if isKept { records.keep(count, of: node) }
        }
        counted.withLockedValue { $0.formUnion(counts.map { Identifier($0.application) }) }
    }

    /// Sends all nodes the numbers of connections that have changed since the last call.
    private func tellConnections() {
        let applications = counted.withLockedValue { counted in
            defer { counted = [] }
            return counted
        }
        if !applications.isEmpty { tellConnections(of: applications.map(\.text)) }
    }

    private func tellConnections(of applications: [String]) {
        let totals = applications.compactMap { id in
            application(id).map { ApplicationCount(application: id, count: channels.connections(of: $0)) }
        }
        guard !totals.isEmpty else { return }
        output.emit(PusherFact.connections(totals).encoded(), of: .pusher)
    }

    // MARK: Nodes

    func announced(_ requests: [ByteBuffer], by node: ClusterNode) {
        guard let number = number(of: node) else { return }
        // The node may have lost its lists of members, for example after a restart. The leader therefore sends it the list again with the
        // next confirmation.
        remote.forgetMembers(at: number)
        for fact in [PusherFact.takesJoins, .takesEvents] { output.emit(fact.encoded(), of: .pusher, to: .node(node)) }
        var announced: (channels: [ChannelHolding], users: [SignedInConnection], counts: [ApplicationCount]) = ([], [], [])
        var recovering: [ChannelID] = []
        for request in requests {
            switch try? PusherRequest(decoding: request) {
            case .holdings(let part): announced.channels += part
            case .users(let part): announced.users += part
            case .connections(let part): announced.counts += part
            case .recovering(let part): recovering += part
            case nil:
                logger.error(
                    "a node's list of Pusher subscriptions cannot be decoded: run the same version on all nodes",
                    metadata: ["node": "\(node)"])
            default: break
            }
        }
        let (channels, users) = holdings.withLockedValue {
            ($0.changes(to: announced.channels, of: node), $0.userChanges(to: announced.users, of: node))
        }
        note(
            Set(channels.new.map { Identifier($0.channel.application) } + users.new.map { Identifier($0.application) }),
            unservedOf: node)
        for holding in channels.ended { end(holding, of: node) }
        for holding in channels.new {
            // The completion is empty, because no client waits for a confirmation.
            for _ in 0..<holding.count { subscribe(.unnamed, to: holding.channel, holding.member, of: node) { _ in } }
        }
        // The channels of these subscribers need histories. If the previous leader's histories are lost, new ones with new positions start
        // here (rule RV-20).
        for channel in recovering {
            guard let settings = application(channel.application)?.recovery else { continue }
            self.channels.beginHistory(of: channel, settings)
        }
        for connection in users.ended { signOut(connection.socketID, of: node) }
        for connection in users.new { signIn(connection, [], of: node) }
        let gone = Set(holdings.withLockedValue { $0.applications(of: node) }.map { Identifier($0) })
            .subtracting(announced.counts.map { Identifier($0.application) })
        count(announced.counts + gone.map { ApplicationCount(application: $0.text, count: 0) }, of: node)
        // All totals are sent, because a node that has just joined has not received any yet.
        tellConnections(of: holdings.withLockedValue(\.applications).map(\.text))
        tellUses(to: node)
    }

    var restoredNodes: [ClusterNode] { holdings.withLockedValue(\.holders) }

    func left(_ node: ClusterNode) {
        let (subscriptions, users, applications) = holdings.withLockedValue {
            ($0.changes(to: [], of: node).ended, $0.userChanges(to: [], of: node).ended, $0.applications(of: node))
        }
        for holding in subscriptions { end(holding, of: node) }
        for connection in users { signOut(connection.socketID, of: node) }
        count(applications.map { ApplicationCount(application: $0, count: 0) }, of: node)
        holdings.withLockedValue { $0.forget(node) }
        note([], unservedOf: node)
        remote.forget(node)
    }

    private func end(_ holding: ChannelHolding, of node: ClusterNode) {
        for _ in 0..<holding.count { end(holding.channel, holding.member?.userID, of: node) }
    }
}
