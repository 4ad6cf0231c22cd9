import ConnectionEngine
import DequeModule
import Logging
import NIOCore
import RedisClient
import ServerRuntime
import ServerValues

/// Performs the effects of a ``ClusterCore`` on Redis and the services. Used on one event loop.
final class ClusterRuntime {
    let settings: ClusterSettings
    let eventLoop: any EventLoop
    let inbox: ClusterInbox
    private(set) var core: ClusterCore
    private(set) var link: RedisLink?
    var members: [ClusterServiceID: any ClusterMember] = [:]
    var factories: [ClusterServiceID: any ClusterLeaderFactory] = [:]
    var leaders: [ClusterServiceID: any ClusterLeader] = [:]
    /// The task that closes the previous leader's parts.
    var retiring: Task<Void, Never>?
    private var requests: [UInt64: @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void] = [:]
    private var emissions: [UInt64: @Sendable (Bool) -> Void] = [:]
    private var lastID: UInt64 = 0
    private var effects: Deque<ClusterEffect> = []
    private var isPerforming = false
    /// Closures of ``ClusterOutput/perform(_:)`` that have not run, and whether they are being run.
    private var works: Deque<@Sendable () -> Void> = []
    private var isWorking = false
    /// Whether the leader has emitted something that is not in a batch yet.
    private var hasEmitted = false
    private var ticking: RepeatedTask?
    private let answersChannel: String
    var status = ClusterStatus()
    /// Whether Redis refused this node's last election script because it accepts no writes.
    private var refusesWrites = false
    private var nextWatch: MonotonicInstant?
    private var versions: NodeVersions

    init(_ settings: ClusterSettings, eventLoop: any EventLoop, inbox: ClusterInbox) {
        self.settings = settings
        self.eventLoop = eventLoop
        self.inbox = inbox
        versions = NodeVersions(settings.keys.versions, node: settings.node, version: settings.version)
        answersChannel = settings.keys.answersChannel(of: settings.node)
        core = ClusterCore(
            settings.node, nodesKey: settings.keys.nodes, lossKey: settings.keys.loss, policy: settings.election,
            memberPolicy: settings.member,
            leaderPolicy: settings.leader, partition: settings.partition, handOverPolicy: settings.handOver,
            at: settings.clock.monotonic())
        status.partition = settings.partition?.number
    }

    private var now: MonotonicInstant { settings.clock.monotonic() }
    var keys: ClusterKeys { settings.keys }
    var logger: Logger { settings.logger }

    /// A task for the event loop whose object may have been released when it runs.
    func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (ClusterRuntime, Value) -> Void
    ) -> @Sendable (Value) -> Void {
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: eventLoop), eventLoop)
        return { value in
            if eventLoop.inEventLoop {
                body(bound.value, value)
            } else {
                eventLoop.execute { body(bound.value, value) }
            }
        }
    }

    // MARK: Life

    func start() {
        let heard = onLoop { (runtime, event: RedisLinkEvent) in runtime.hear(event) }
        let link = RedisLink(settings.link, eventLoop: eventLoop, events: heard)
        self.link = link
        let channels = [keys.logChannel, keys.requestsChannel(of: settings.node), keys.answersChannel(of: settings.node)]
            .map { ByteBuffer(string: $0) }
        link.subscribe(to: channels, within: .seconds(30)) { _ in }
        link.start()
        let tick = onLoop { (runtime, _: Void) in
            runtime.run { $0.tick(at: $1, into: &$2) }
            runtime.watch()
            runtime.publishStatus()
        }
        ticking = eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(100), delay: .milliseconds(100)) { _ in tick(()) }
    }

    /// Leaves the cluster; the task ends when the leader's parts of the services are closed.
    func close() -> Task<Void, Never>? {
        ticking?.cancel()
        ticking = nil
        drain()
        run { core, now, effects in core.close(at: now, into: &effects) }
        return retiring
    }

    /// Closes the connections once the last messages have been sent.
    func closeLink(completion: @escaping @Sendable () -> Void) {
        guard let link else { return completion() }
        self.link = nil
        link.send(.command(RedisCommand("PING")), within: .seconds(1)) { _ in
            link.close()
            completion()
        }
    }

    // MARK: Redis

    /// Checks periodically whether Redis deletes keys when its memory is full (rule CR-38), because that setting may change at any time.
    private func watch() {
        if let nextWatch, now < nextWatch { return }
        nextWatch = now.advanced(by: settings.watching)
        send(.command(RedisCommand("INFO", "memory")), within: .seconds(2)) { runtime, result in
            guard let value = try? result.get() else { return }
            let policy = RedisInfo(value).evictionPolicy
            if let policy, runtime.status.evictionPolicy != policy {
                runtime.logger.error(
                    "Redis deletes keys when its memory is full. \(RedisExamination.evictionAdvice)",
                    metadata: ["policy": "\(policy)"])
            }
            runtime.status.evictionPolicy = policy
        }
        send(versions.store, within: .seconds(2)) { _, _ in }
        guard let nodes = core.leader?.nodes else { return }
        send(versions.read, within: .seconds(2)) { runtime, result in
            guard let value = try? result.get(), let former = runtime.versions.noted(value, nodes: nodes) else { return }
            runtime.send(former, within: .seconds(2)) { _, _ in }
        }
    }

    /// Records from the answer to a writing script whether Redis accepts writes (rule CR-37). Redis refuses such a script before it
    /// starts while it accepts no writes, so followers, which only ask for the leader, find out too.
    private func noteWrites(_ result: Result<RedisValue, RedisFailure>) {
        switch result {
        case .success: refusesWrites = false
        case .failure(.refused(let reply)) where reply.remedy == .refuseWrites:
            if !refusesWrites { logger.error("Redis takes no writes", metadata: ["cause": "\(reply)"]) }
            refusesWrites = true
        case .failure: break
        }
    }

    private func hear(_ event: RedisLinkEvent) {
        switch event {
        case .status(let lane, let linkStatus): note(linkStatus, of: lane)
        case .interrupted: run { core, now, _ in core.interrupted(at: now) }
        case .restored: run { $0.restored(at: $1, into: &$2) }
        case .message(let message): receive(message)
        // A subscription of this node ends only when Redis changes its role, and the connection detects that.
        case .unsubscribed: break
        }
    }

    private func note(_ linkStatus: RedisLinkStatus, of lane: RedisLane) {
        switch linkStatus {
        case .ready: status.trouble[lane] = nil
        case .connecting: status.trouble[lane] = status.trouble[lane] ?? "connecting"
        case .waiting(let loss, _):
            if loss.isFinal {
                if status.trouble[lane] != loss.description {
                    logger.error(
                        "Redis refuses this server, which tries again every 5 to 30 s; change Redis, or the password in redis and send SIGHUP",
                        metadata: ["cause": "\(loss)"])
                }
            } else if status.trouble[lane] == nil {
                logger.warning("Redis is away", metadata: ["cause": "\(loss)"])
            }
            status.trouble[lane] = loss.description
        case .stopped(.closed):
            status.trouble[lane] = RedisLoss.closed.description
        case .stopped(let loss):
            logger.error("Redis is given up", metadata: ["cause": "\(loss)"])
            status.trouble[lane] = loss.description
        }
        publishStatus()
    }

    private func receive(_ message: RedisMessage) {
        if message.channel.readableBytesView.elementsEqual(keys.logChannel.utf8) {
            guard message.payload.readableBytes > 0 else { return run { $0.resigned(at: $1, into: &$2) } }
            guard let batch = try? ClusterBatch(decoding: message.payload) else {
                return logger.error("a batch of the log cannot be read: all nodes have to run the same version")
            }
            run { core, now, effects in core.withMember(at: now, &effects) { $0.receive(batch, at: now, into: &$1) } }
        } else if message.channel.readableBytesView.elementsEqual(answersChannel.utf8) {
            guard let answers = try? ClusterAnswers(decoding: message.payload) else {
                return logger.error("an answer of the leader cannot be read: all nodes have to run the same version")
            }
            run { core, now, effects in core.withMember(at: now, &effects) { $0.receive(answers, at: now, into: &$1) } }
        } else {
            guard let requests = try? ClusterRequests(decoding: message.payload) else {
                return logger.error("a request of a node cannot be read: all nodes have to run the same version")
            }
            run { core, now, effects in core.withLeader(&effects) { $0.receive(requests, at: now, into: &$1) } }
        }
    }

    private func send(
        _ call: RedisCall, within limit: Duration,
        _ body: @escaping @Sendable (ClusterRuntime, Result<RedisValue, RedisFailure>) -> Void
    ) {
        guard let link else { return }
        link.send(call, within: limit, completion: onLoop(body))
    }

    // MARK: The core

    /// Handles the entries that other threads have queued.
    func drain() {
        take(inbox.takeAll(), areJoined: false)
        // One that is called by such a closure leaves the rest to this loop, so closures keep their order.
        guard !isWorking else { return }
        isWorking = true
        while let body = works.popFirst() {
            body()
            take(inbox.takeAll(), areJoined: true)
        }
        isWorking = false
    }

    /// - Parameter areJoined: whether all resulting emissions must be stored together.
    private func take(_ entries: [ClusterInbox.Entry], areJoined: Bool) {
        guard !entries.isEmpty else { return }
        // What a closure emits comes behind all that was emitted before it runs.
        for case .work(let body) in entries { works.append(body) }
        run { [self] core, now, effects in
            take(entries, &core, now, areJoined: areJoined, &effects)
            core.withMember(at: now, &effects) { $0.flush(at: now, into: &$1) }
            hasEmitted = true
        }
    }

    /// - Parameter areJoined: whether all resulting emissions must be stored together.
    private func take(
        _ entries: [ClusterInbox.Entry], _ core: inout ClusterCore, _ now: MonotonicInstant, areJoined: Bool,
        _ effects: inout [ClusterEffect]
    ) {
        var isJoined = false
        for entry in entries {
            switch entry {
            case .request(let payload, let service, let deadline, let isRepeatable, let isQuery, let completion):
                lastID += 1
                let id = lastID
                requests[id] = completion
                core.withMember(at: now, &effects) {
                    $0.request(
                        id, of: service, payload, deadline: deadline, isRepeatable: isRepeatable, isQuery: isQuery, at: now,
                        into: &$1)
                }
            case .emission(let generation, let service, let fact, let audience, let writes, let completion):
                guard core.leader?.generation == generation else {
                    completion?(false)
                    continue
                }
                var id: UInt64?
                if let completion {
                    lastID += 1
                    id = lastID
                    emissions[lastID] = completion
                }
                let emission = ClusterEmission(
                    item: fact.map { .fact(service, audience, $0) }, writes: writes, id: id, isJoined: isJoined)
                core.withLeader(&effects) { machine, _ in machine.emit(emission) }
                isJoined = areJoined
            case .answer(let generation, let session, let number, let payload):
                guard core.leader?.generation == generation else { continue }
                let joins = isJoined
                core.withLeader(&effects) { machine, _ in machine.answer(session, number: number, payload, isJoined: joins) }
                isJoined = areJoined
            case .queryAnswer(let generation, let session, let number, let payload):
                guard core.leader?.generation == generation else { continue }
                core.withLeader(&effects) { $0.answerQuery(session, number: number, payload, at: now, into: &$1) }
            case .work: break
            }
        }
    }

    func run(_ body: (inout ClusterCore, MonotonicInstant, inout [ClusterEffect]) -> Void) {
        var new: [ClusterEffect] = []
        body(&core, now, &new)
        effects += new
        guard !isPerforming else { return }
        isPerforming = true
        while true {
            while let effect = effects.popFirst() { perform(effect) }
            guard hasEmitted else { break }
            // The effects of several requests become one batch.
            hasEmitted = false
            var new: [ClusterEffect] = []
            core.withLeader(&new) { $0.flush(at: now, into: &$1) }
            effects += new
        }
        isPerforming = false
        if core.role != status.role || isCurrent != status.isCurrent { publishStatus() }
    }

    private var isCurrent: Bool { core.member.phase == .current && core.member.position != nil }

    // MARK: Effects

    private func perform(_ effect: ClusterEffect) {
        switch effect {
        case .elect(let mode, let generation):
            let call = keys.election(
                mode, settings.node, generation: generation, lease: settings.election.lease, seen: core.highestGeneration)
            send(call, within: .seconds(2)) { runtime, result in
                runtime.noteWrites(result)
                guard mode != .resign else { return }
                let outcome = (try? result.get()).map { ElectionOutcome($0) } ?? .failed
                runtime.run { $0.elected(outcome, at: $1, into: &$2) }
            }
        case .resign(let successor, let generation):
            let call = keys.election(
                .resign, settings.node, generation: generation, lease: settings.election.lease, seen: core.highestGeneration,
                successor: successor, headStart: settings.handOver.headStart)
            send(call, within: .seconds(2)) { runtime, result in runtime.noteWrites(result) }
        case .proposeHandOver(let successor, let generation):
            guard settings.pace.take(at: now, pause: settings.handOver.pause) else { return }
            logger.notice("this node hands over", metadata: ["to": "\(successor)"])
            run { core, _, effects in core.handOver(to: successor, generation: generation, into: &effects) }
        case .prepareToResign(let generation): prepareToResign(generation)
        case .countListeners(let node):
            send(.command(RedisCommand("PUBSUB", "NUMSUB", .text(keys.requestsChannel(of: node)))), within: .seconds(2)) {
                let count = (try? $1.get())?.elements?.last?.number
                $0.run { core, now, effects in core.counted(count.map { Int($0) }, at: now, into: &effects) }
            }
        case .prepare(let generation): prepare(generation)
        case .retire: retire()
        case .member(let effect): perform(effect)
        case .leader(let effect): perform(effect)
        }
    }

    private func perform(_ effect: MemberEffect) {
        switch effect {
        case .readPosition:
            send(keys.readPosition, within: .seconds(2)) { runtime, result in
                runtime.run { core, now, effects in
                    core.withMember(at: now, &effects) { member, effects in
                        switch result {
                        case .success(let value):
                            member.located(ClusterLeaderRecord(value.elements ?? []), at: now, into: &effects)
                        case .failure: member.readFailed()
                        }
                    }
                }
            }
        case .readLog(let position):
            send(keys.readLog(after: position), within: .seconds(5)) { runtime, result in
                runtime.run { core, now, effects in
                    core.withMember(at: now, &effects) { member, effects in
                        switch result {
                        case .success(let value):
                            let (batches, isAll) = ClusterBatch.list(value)
                            member.read(batches, isAll: isAll, at: now, into: &effects)
                        case .failure: member.readFailed()
                        }
                    }
                }
            }
        case .publish(let requests, let leader):
            let channel = keys.requestsChannel(of: leader)
            send(.command(RedisCommand("PUBLISH", .text(channel), .bytes(requests.encoded()))), within: .seconds(2)) { _, _ in }
        case .apply(let service, let fact): members[service]?.apply(fact)
        case .complete(let id, let result): requests.removeValue(forKey: id)?(result)
        case .announce:
            let parts = members.sorted { $0.key < $1.key }.map { (service: $0.key, payloads: $0.value.announcement()) }
            run { core, now, effects in core.withMember(at: now, &effects) { $0.announce(parts, at: now, into: &$1) } }
        case .interrupt(let loss):
            logger.error("facts of the cluster are lost, clients are told", metadata: ["cause": "\(loss)"])
            for (_, member) in members.sorted(by: { $0.key < $1.key }) { member.interrupted() }
        }
    }

    private func perform(_ effect: LeaderEffect) {
        switch effect {
        case .commit(let commit):
            let namesKeys = settings.link.endpoint.locator.isCluster
            send(keys.commit(commit, namesKeys: namesKeys), within: .seconds(5)) { runtime, result in
                if case .success(let value) = result, let failures = value.elements?.dropFirst().first?.number, failures > 0,
                    value.elements?.first?.text == "kept"
                {
                    runtime.logger.error("Redis refused commands of a batch", metadata: ["count": "\(failures)"])
                }
                let outcome = CommitOutcome(result)
                runtime.run { core, now, effects in
                    core.withLeader(&effects) { $0.committed(outcome, at: now, into: &$1) }
                }
            }
        case .handle(let service, let payload, let node, let session, let number, let isQuery):
            guard let leader = leaders[service], let generation = core.leader?.generation else { return }
            let inbox = inbox
            emitting {
                leader.handle(payload, from: node) { answer in
                    inbox.add(
                        isQuery
                            ? .queryAnswer(generation: generation, session, number: number, answer)
                            : .answer(generation: generation, session, number: number, answer))
                }
            }
        case .answer(let answers, let node):
            send(keys.answer(answers, to: node), within: .seconds(5)) { runtime, result in
                // Other lost messages are sent again.
                guard case .success(let value) = result, value.text == "fenced" else { return }
                runtime.run { core, _, effects in
                    guard core.leader?.generation == answers.generation else { return }
                    core.withLeader(&effects) { $0.fenced(into: &$1) }
                }
            }
        case .announced(let announcement, let node):
            emitting(areJoined: false) {
                for (service, leader) in self.leaders { leader.announced(announcement[service] ?? [], by: node) }
            }
        case .left(let node):
            logger.notice("node left", metadata: ["node": "\(node)"])
            emitting(areJoined: false) { for leader in self.leaders.values { leader.left(node) } }
            run { core, _, effects in core.withLeader(&effects) { machine, _ in machine.forget(node) } }
            hasEmitted = true
        case .lost(let node): emitting(areJoined: false) { for leader in self.leaders.values { leader.left(node) } }
        case .completed(let id, let isKept): emissions.removeValue(forKey: id)?(isKept)
        case .resign(.lost): logger.error("Redis has lost what it had confirmed, clients are told")
        case .resign(.tooLong(let bytes)):
            logger.error(
                "a decision is too long for Redis and is dropped: this node no longer leads, and another one continues without the decision",
                metadata: ["bytes": "\(bytes)", "limit": "\(settings.leader.longestCommand)"])
        case .end: logger.notice("this node leads no longer")
        }
    }

    /// Calls a leader's part.
    ///
    /// - Parameter areJoined: whether its emissions are stored together. Announcements and the end of a node can cause more than one batch
    ///   holds; if the leader ends in between, the node announces itself again to the next leader, or that leader ends the rest.
    private func emitting(areJoined: Bool = true, _ body: () -> Void) {
        // Earlier entries are handled first, because they are not part of it.
        drain()
        body()
        let entries = inbox.takeAll()
        for case .work(let body) in entries { works.append(body) }
        run { [self] core, now, effects in
            take(entries, &core, now, areJoined: areJoined, &effects)
            hasEmitted = true
        }
        if !works.isEmpty { drain() }
    }

    // MARK: Status

    private func publishStatus() {
        status.role = core.role
        let member = core.member
        status.leader = member.leader?.leader.name
        status.position = member.position
        status.isCurrent = isCurrent
        status.waitingRequests = requests.count
        status.waitingBytes = member.waitingBytes
        status.repairs = member.repairs
        status.losses = member.losses
        status.elections = core.elections
        status.nodes = core.leader?.nodeCount ?? 0
        status.members = (core.leader?.members ?? []).map { $0.with(versions.version(of: $0.node)) }
        status.queuedBytes = core.leader?.queuedBytes ?? 0
        status.isRefused = refusesWrites || core.leader?.isRefused == true
        inbox.status.withLockedValue { $0 = status }
    }
}
