import DequeModule
import Logging
import NIOCore
import ServerRuntime
import ServerValues

/// Performs the effects of a ``ClusterCore`` on the store and the services. Used on the node's event loop only.
final class ClusterRuntime {
    let settings: ClusterSettings
    let eventLoop: any EventLoop
    let inbox: ClusterInbox
    private(set) var core: ClusterCore
    let engine: any StoreEngine
    /// Whether the store engine was closed, so that nothing more is done.
    private(set) var isClosed = false
    var members: [ClusterServiceID: any ClusterMember] = [:]
    var factories: [ClusterServiceID: any ClusterLeaderFactory] = [:]
    var leaders: [ClusterServiceID: any ClusterLeader] = [:]
    /// The task that closes the leader's services after this node has led; nil if it never led.
    var retiring: Task<Void, Never>?
    private var requests: [UInt64: @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void] = [:]
    var emissions: [UInt64: @Sendable (Bool) -> Void] = [:]
    /// The id that was last assigned to a request, or to a decision whose storage a caller waits for.
    var lastID: UInt64 = 0
    private var effects: Deque<ClusterEffect> = []
    private var isPerforming = false
    /// Closures of ``ClusterOutput/perform(_:)`` that have not run. ``isWorking`` is true while they are being run.
    private var works: Deque<@Sendable () -> Void> = []
    private var isWorking = false
    /// Whether a batch may have to be made, because a service of the leader has made a decision, or the previous batch was stored.
    var hasEmitted = false
    /// Whether a task that makes the next batch is scheduled on the event loop.
    private var isFlushScheduled = false
    private var pace = BatchPace()
    private var ticking: RepeatedTask?
    var status = ClusterStatus()
    private var absence = LeaderAbsence(limit: ClusterClient.callLimit)
    /// Whether the store refuses all writes at present.
    private var refusesWrites = false
    private var nextWatch: MonotonicInstant?
    /// On the leader: the server versions of the other nodes, as far as they are known.
    private var versions: [ClusterNode: String] = [:]

    init(_ settings: ClusterSettings, _ engine: any StoreEngine, eventLoop: any EventLoop, inbox: ClusterInbox) {
        self.engine = engine
        self.settings = settings
        self.eventLoop = eventLoop
        self.inbox = inbox
        let store = engine.collections
        core = ClusterCore(
            settings.node, nodesKey: store.key(StoreKey.nodes), lossKey: store.key(StoreKey.loss), policy: settings.election,
            memberPolicy: settings.member, leaderPolicy: settings.leader, partition: settings.partition,
            handOverPolicy: settings.handOver,
            at: settings.clock.monotonic())
        status.partition = settings.partition?.number
    }

    private var now: MonotonicInstant { settings.clock.monotonic() }
    var logger: Logger { settings.logger }

    /// Returns a function that runs `body` on the event loop, unless this object has been released by then.
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
        engine.start(events: onLoop { (runtime, event: StoreEvent) in runtime.hear(event) })
        let tick = onLoop { (runtime, _: Void) in
            runtime.run { $0.tick(at: $1, into: &$2) }
            runtime.watch()
            runtime.publishStatus()
        }
        ticking = eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(100), delay: .milliseconds(100)) { _ in tick(()) }
    }

    /// Leaves the cluster. The returned task ends when the leader's services are closed; nil when there are none.
    func close() -> Task<Void, Never>? {
        ticking?.cancel()
        ticking = nil
        drain()
        flush()
        run { core, now, effects in core.close(at: now, into: &effects) }
        return retiring
    }

    /// Closes the store engine. Before that, the engine sends the messages that are still queued.
    func closeEngine(completion: @escaping @Sendable () -> Void) {
        isClosed = true
        engine.close(completion: completion)
    }

    // MARK: The store

    private func watch() {
        if let nextWatch, now < nextWatch { return }
        nextWatch = now.advanced(by: settings.watching)
        engine.watch(core.leader?.nodes)
    }

    private func hear(_ event: StoreEvent) {
        switch event {
        case .trouble(let lane, let reason):
            status.trouble[lane] = reason
            publishStatus()
        case .interrupted: run { core, now, _ in core.interrupted(at: now) }
        case .restored: run { $0.restored(at: $1, into: &$2) }
        case .resigned: run { $0.resigned(at: $1, into: &$2) }
        case .batch(let batch):
            run { core, now, effects in core.withMember(at: now, &effects) { $0.receive(batch, at: now, into: &$1) } }
        case .answers(let answers):
            run { core, now, effects in core.withMember(at: now, &effects) { $0.receive(answers, at: now, into: &$1) } }
        case .requests(let requests):
            run { core, now, effects in core.withLeader(&effects) { $0.receive(requests, at: now, into: &$1) } }
        case .refusesWrites(let refuses): refusesWrites = refuses
        case .evictionPolicy(let policy): status.evictionPolicy = policy
        case .versions(let known): versions = known
        }
    }

    // MARK: The core

    /// Handles the entries that other threads have queued.
    func drain() {
        take(inbox.takeAll(), areJoined: false)
        // When a closure calls `drain()`, the loop of the outer call runs the remaining closures, which keeps their order.
        guard !isWorking else { return }
        isWorking = true
        while let body = works.popFirst() {
            take(inbox.collect(body), areJoined: true)
        }
        isWorking = false
    }

    /// Applies entries of the inbox to the core, and sends this node's new requests.
    ///
    /// - Parameter areJoined: whether all resulting decisions must be stored together.
    private func take(_ entries: [ClusterInbox.Entry], areJoined: Bool) {
        guard !entries.isEmpty else { return }
        // Closures are only queued here. `drain()` runs them after the other entries, so the decisions that a closure makes are stored
        // after all decisions that were queued before it.
        for case .work(let body) in entries { works.append(body) }
        run { [self] core, now, effects in
            take(entries, with: &core, at: now, areJoined: areJoined, into: &effects)
            core.withMember(at: now, &effects) { $0.flush(at: now, into: &$1) }
            hasEmitted = true
        }
    }

    /// Applies entries of the inbox to the core.
    ///
    /// - Parameter areJoined: whether all resulting decisions must be stored together.
    private func take(
        _ entries: [ClusterInbox.Entry], with core: inout ClusterCore, at now: MonotonicInstant, areJoined: Bool,
        into effects: inout [ClusterEffect]
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
                guard core.generation == generation else {
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
                guard core.generation == generation else { continue }
                let joins = isJoined
                core.withLeader(&effects) { machine, _ in machine.answer(session, number: number, payload, isJoined: joins) }
                isJoined = areJoined
            case .queryAnswer(let generation, let session, let number, let payload):
                guard core.generation == generation else { continue }
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
        while let effect = effects.popFirst() { perform(effect) }
        isPerforming = false
        if hasEmitted { scheduleFlush() }
        if core.role != status.role || isCurrent != status.isCurrent || (!status.isLed && core.isLed) { publishStatus() }
    }

    /// Schedules the next batch at the end of this turn of the event loop. All decisions of one turn become one batch (rule CR-100): those
    /// caused by messages from both connections to the store, and those that other threads had queued before.
    private func scheduleFlush() {
        hasEmitted = false
        guard !isFlushScheduled, core.generation != nil else { return }
        isFlushScheduled = true
        eventLoop.assumeIsolated().execute { [weak self] in
            // A second task is scheduled, because it runs after tasks that other threads have scheduled while the event loop was reading
            // messages.
            self?.eventLoop.assumeIsolated().execute { [weak self] in self?.flushWhenDue() }
        }
    }

    /// Makes the next batch. While there are many requests, it first waits for further ones (rule CR-102).
    private func flushWhenDue() {
        guard let rest = pace.rest(at: now) else { return flush() }
        let flush = onLoop { (runtime: ClusterRuntime, _: Void) in runtime.flush() }
        eventLoop.scheduleTask(in: TimeAmount(rest)) { flush(()) }
    }

    /// Makes the next batch from queued decisions, if no batch is in progress.
    private func flush() {
        isFlushScheduled = false
        run { core, now, effects in core.withLeader(&effects) { $0.flush(at: now, into: &$1) } }
    }

    private func withMember(_ body: (inout MemberMachine, MonotonicInstant, inout [MemberEffect]) -> Void) {
        run { core, now, effects in core.withMember(at: now, &effects) { body(&$0, now, &$1) } }
    }

    private var isCurrent: Bool { core.member.phase == .current && core.member.position != nil }

    // MARK: Effects

    private func perform(_ effect: ClusterEffect) {
        switch effect {
        case .elect(let mode, let generation):
            engine.elect(
                candidacy(mode, generation),
                completion: onLoop { (runtime, outcome: ElectionOutcome) in
                    guard mode != .resign else { return }
                    runtime.run { $0.elected(outcome, at: $1, into: &$2) }
                })
        case .resign(let successor, let generation):
            var candidacy = candidacy(.resign, generation)
            (candidacy.successor, candidacy.headStart) = (successor, settings.handOver.headStart)
            engine.elect(candidacy) { _ in }
        case .proposeHandOver(let successor, let generation):
            guard settings.pace.take(at: now, pause: settings.handOver.pause) else { return }
            logger.notice("this node hands its leadership over to another node", metadata: ["to": "\(successor)"])
            run { core, _, effects in core.handOver(to: successor, generation: generation, into: &effects) }
        case .prepareToResign(let generation): prepareToResign(generation)
        case .countListeners(let node):
            engine.countListeners(
                of: node,
                completion: onLoop { (runtime, count: Int?) in
                    runtime.run { core, now, effects in core.counted(count, at: now, into: &effects) }
                })
        case .prepare(let generation): prepare(generation)
        case .retire: retire()
        case .member(let effect): perform(effect)
        case .leader(let effect): perform(effect)
        }
    }

    private func candidacy(_ mode: ElectionMode, _ generation: UInt64?) -> Candidacy {
        Candidacy(
            mode, settings.node, generation: generation, lease: settings.election.lease, seen: core.highestGeneration)
    }

    private func perform(_ effect: MemberEffect) {
        switch effect {
        case .readPosition:
            engine.readPosition(
                completion: onLoop { (runtime, result: Result<ClusterLeaderRecord?, StoreFailure>) in
                    runtime.withMember { member, now, effects in
                        switch result {
                        case .success(let record): member.located(record, at: now, into: &effects)
                        case .failure: member.readFailed()
                        }
                    }
                })
        case .readLog(let position):
            engine.readLog(
                after: position, within: .seconds(5),
                completion: onLoop { (runtime, result: Result<LogPage, StoreFailure>) in
                    runtime.withMember { member, now, effects in
                        switch result {
                        case .success(let page): member.read(page.batches, isAll: page.isAll, at: now, into: &effects)
                        case .failure: member.readFailed()
                        }
                    }
                })
        case .publish(let requests, let leader): engine.publish(requests, to: leader)
        case .apply(let service, let fact): members[service]?.apply(fact)
        case .complete(let id, let result): requests.removeValue(forKey: id)?(result)
        case .announce:
            let parts = members.sorted { $0.key < $1.key }.map { (service: $0.key, payloads: $0.value.announcement()) }
            run { core, now, effects in core.withMember(at: now, &effects) { $0.announce(parts, at: now, into: &$1) } }
        case .interrupt(let loss):
            logger.error(
                "cluster updates were lost: clients reconnect, or are told that messages may be missing",
                metadata: ["cause": "\(loss)"])
            for (_, member) in members.sorted(by: { $0.key < $1.key }) { member.interrupted() }
        }
    }

    private func perform(_ effect: LeaderEffect) {
        switch effect {
        case .commit(let commit):
            let requests = commit.batch.items.count { if case .answer = $0 { true } else { false } }
            pace.began(requests: requests, at: now)
            engine.commit(
                commit,
                completion: onLoop { (runtime, outcome: CommitOutcome) in
                    runtime.run { core, now, effects in
                        core.withLeader(&effects) { $0.committed(outcome, at: now, makesNext: false, into: &$1) }
                        runtime.hasEmitted = true
                    }
                })
        case .handle(let service, let payload, let node, let session, let number, let isQuery):
            guard let leader = leaders[service], let generation = core.generation else { return }
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
            engine.answer(
                answers, to: node,
                completion: onLoop { (runtime, isFenced: Bool) in
                    guard isFenced else { return }
                    runtime.run { core, _, effects in
                        guard core.generation == answers.generation else { return }
                        core.withLeader(&effects) { $0.fenced(into: &$1) }
                    }
                })
        case .announced(let announcement, let node):
            emitting(areJoined: false) {
                for (service, leader) in self.leaders { leader.announced(announcement[service] ?? [], by: node) }
            }
        case .left(let node):
            logger.notice("a node left the cluster, or stopped answering and was removed", metadata: ["node": "\(node)"])
            emitting(areJoined: false) { for leader in self.leaders.values { leader.left(node) } }
            run { core, _, effects in core.withLeader(&effects) { machine, _ in machine.forget(node) } }
            hasEmitted = true
        case .lost(let node): emitting(areJoined: false) { for leader in self.leaders.values { leader.left(node) } }
        case .completed(let id, let isKept): emissions.removeValue(forKey: id)?(isKept)
        case .resign(.lost): logger.error("the store lost confirmed changes: this node stops leading, clients are told of a gap")
        case .resign(.tooLong(let bytes)):
            logger.error(
                "a change is too large for the store and is dropped: this node stops leading, another takes over",
                metadata: ["bytes": "\(bytes)", "limit": "\(settings.leader.longestCommand)"])
        case .end: logger.notice("this node is no longer the leader")
        }
    }

    /// Runs a closure that calls the leader's services, and applies the decisions that they make.
    ///
    /// - Parameter areJoined: whether these decisions are stored together. False for announcements and for the end of a node, which can
    ///   cause more decisions than one batch holds. If the leader ends between two of these batches, the node announces itself again to the
    ///   next leader, or that leader makes the remaining changes.
    private func emitting(areJoined: Bool = true, _ body: () -> Void) {
        // Entries that are already in the inbox are handled first, because their decisions must not be stored together with those of the
        // closure.
        drain()
        let entries = inbox.collect(body)
        for case .work(let body) in entries { works.append(body) }
        run { [self] core, now, effects in
            take(entries, with: &core, at: now, areJoined: areJoined, into: &effects)
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
        status.isLed = absence.isBridged(core.isLed, at: now)
        status.waitingRequests = requests.count
        status.waitingBytes = member.waitingBytes
        status.repairs = member.repairs
        status.losses = member.losses
        status.elections = core.elections
        status.nodes = core.leader?.nodeCount ?? 0
        status.members = (core.leader?.members ?? []).map { member in
            member.with(member.node == settings.node ? settings.version : versions[member.node])
        }
        status.queuedBytes = core.leader?.queuedBytes ?? 0
        status.isRefused = refusesWrites || core.leader?.isRefused == true
        inbox.status.withLockedValue { $0 = status }
    }
}
