import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import PubNubProtocol
import ServerCluster
import ServerRuntime
import ServerStorage

/// Makes the decisions for the keysets of a cluster. The keyset objects are the same as in servers without a cluster, but they hold no
/// polls here.
final class PubNubClusterLeader: ClusterLeader, StreamNode {
    let streams: LocalStreams
    private let store: LeaderMessageStore
    private let context: ClusterLeaderContext
    /// These counts are not used, because nodes count acknowledged messages themselves.
    private let counts = NIOLockedValueBox(ApplicationCounts())
    private let timer = NIOLockedValueBox<RepeatedTask?>(nil)
    private let isPurging = NIOLockedValueBox(false)
    private let snapshots: NIOLockedValueBox<KeysetSnapshots>

    /// The approximate size limit, in bytes, of the messages in the snapshot for a node.
    private static let stateBytes = 32 << 20

    init(_ streams: LocalStreams, store: LeaderMessageStore, context: ClusterLeaderContext) {
        self.streams = streams
        self.store = store
        self.context = context
        snapshots = NIOLockedValueBox(KeysetSnapshots(generation: context.generation))
        streams.join(self)
    }

    // MARK: Requests

    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
        guard let request = try? PubNubClusterRequest(decoding: request) else { return reply(ByteBuffer()) }
        switch request {
        case .http(let request): answer(request, reply: reply)
        case .publish(let draft, let isBridged, let key): publish(draft, isBridged: isBridged, to: key, reply: reply)
        case .touch(let touch, let key):
            if let application = streams.application(subscribeKey: key) { perform(touch, in: application) }
            reply(ByteBuffer())
        case .advance(let cursor, let key):
            // The cursor comes from a client, which may have invented it. So the cursor can advance the keyset's timetokens only to a
            // limited time ahead of the clock.
            if let application = streams.application(subscribeKey: key) {
                _ = application.withState { application.advance(past: cursor, within: TimetokenClock.furthestCursor, &$0) }
            }
            reply(ByteBuffer())
        case .state(let key):
            guard let application = streams.application(subscribeKey: key) else { return reply(ByteBuffer()) }
            takeSnapshot(of: application, for: node, after: 0)
            reply(ByteBuffer(integer: 1 as UInt8))
        case .stateWithoutMessages(let key):
            guard let application = streams.application(subscribeKey: key) else { return reply(ByteBuffer()) }
            takeSnapshot(of: application, for: node, after: 0, hasMessages: false)
            reply(ByteBuffer(integer: 1 as UInt8))
        case .piece(let number, let index):
            let piece = snapshots.withLockedValue { $0.piece(index, of: number, for: node.incarnation) }
            reply(piece.map { $0.fact.encoded(of: $0.subscribeKey) } ?? ByteBuffer())
        case .cursors: reply(ByteBuffer())
        case .file(let record, let origin, let key): keep(record, origin, of: key, reply: reply)
        case .missed(let ranges, let key):
            let answer = streams.application(subscribeKey: key).map { parts(ranges, of: $0) }
            reply(answer?.encoded() ?? ByteBuffer())
        }
    }

    /// The messages that a node's replica lacks. They were all published earlier, so the answer does not depend on when, and by which
    /// leader, it is given.
    private func parts(_ ranges: [StreamRange], of application: PubNubApplication) -> CatchUpAnswer {
        var budget = LeaderMessageStore.pieceBytes
        let parts = application.withState { state in
            var parts: [StreamPart<PubNubElement>] = []
            for range in ranges.prefix(CatchUpQueue.limit) where budget > 0 {
                parts.append(state.streams.part(range, budget: &budget))
            }
            return parts
        }
        return CatchUpAnswer(
            parts: parts.map { .init(range: $0.range, dropped: $0.dropped, messages: $0.entries.map(\.message)) })
    }

    /// Records a file whose content a node has put into Redis. If a request is repeated, the answer is again that the file is stored.
    private func keep(
        _ record: KeysetRecord, _ origin: FileOrigin, of key: String, reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        let answered: @Sendable (FileOutcome) -> Void = { reply(ByteBuffer(integer: $0.rawValue)) }
        guard let application = streams.application(subscribeKey: key), let file = StoredFile(record) else {
            return answered(.notKept)
        }
        Task {
            do throws(FileRefusal) {
                try await application.files.store(file, content: [], origin: origin, in: application.keyset)
                answered(.kept)
            } catch {
                answered(FileOutcome(error))
            }
        }
    }

    /// Answers a client's request that a node has forwarded. The answer is empty while this leader does not have the keyset.
    private func answer(_ request: HTTPRequest, reply: @escaping @Sendable (ByteBuffer) -> Void) {
        let answered: HTTPReply = { answer in
            reply(answer.encoded())
        }
        do {
            let address = try PubNubAddress(method: request.method, segments: request.target.segments)
            guard streams.application(subscribeKey: address.subscribeKey) != nil else { return reply(ByteBuffer()) }
            let request = PubNubServerRequest(
                method: request.method, target: request.target, body: request.body,
                ifMatch: request.headers.first(name: "if-match"), base: request.headers.first(name: ClusterStreams.baseField),
                client: request.headers.first(name: ClusterStreams.clientField))
            let requests = PubNubRequestHandler(streams: streams, counts: counts)
            let application = try requests.application(for: request, address)
            requests.answer(request, address.route, of: application, reply: answered)
        } catch let error as PubNubErrorBody {
            answered(HTTPAnswer(error))
        } catch let problem as HTTPProblem {
            answered(HTTPAnswer(PubNubErrorBody(problem)))
        } catch {
            answered(HTTPAnswer(.serviceUnavailable))
        }
    }

    private func publish(
        _ draft: PubNubDraft, isBridged: Bool, to key: String, reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        let answered: @Sendable (ClusterPublishOutcome) -> Void = { reply($0.encoded()) }
        guard let application = streams.application(subscribeKey: key) else { return answered(.unknownKeyset) }
        PubNubPublishing(application: application, counts: counts).publish(draft, isBridged: isBridged) {
            answered(ClusterPublishOutcome($0))
        }
    }

    private func perform(_ touch: PubNubClusterRequest.PresenceTouch, in application: PubNubApplication) {
        let time = application.occupancyTime
        application.change { state, pending in
            // If the limits of presence are reached, the subscriber is not listed as present, but it still receives its messages (rule
            // PV-114).
            for place in touch.places {
                state.occupancy.touch(
                    place.channel, by: touch.user, timeout: touch.timeout, state: place.state, at: time, into: &pending.events)
            }
        }
    }

    // MARK: Nodes

    func announced(_ requests: [ByteBuffer], by node: ClusterNode) {
        // This fact announces that the leader answers requests for messages. It precedes all snapshots, because a node that has not
        // received it keeps the messages of all channels (rule CB-58).
        context.output.emit(PubNubFact.answersMissed.encoded(of: ""), of: .pubnub, to: .node(node))
        var known: [Identifier: UInt64] = [:]
        for request in requests {
            switch try? PubNubClusterRequest(decoding: request) {
            case .cursors(let cursors)?: for item in cursors { known[Identifier(item.subscribeKey)] = item.visible }
            // The timetoken of the newest message in the replica of a node that joins this leader.
            case .advance(let cursor, let key)?:
                if let application = streams.application(subscribeKey: key) { _ = advance(application, past: cursor) }
            default: break
            }
        }
        for application in streams.applications {
            // New timetokens must exceed those of messages that readers of the node have received, even if Redis has lost these messages.
            // If the replica is too far ahead of the leader, it starts anew.
            let visible = known[Identifier(application.subscribeKey)].flatMap { advance(application, past: $0) ? $0 : nil }
            if let visible, takeSnapshot(of: application, for: node, after: visible) { continue }
            restart(application, on: .node(node))
        }
    }

    /// Advances the timetokens of a keyset beyond the newest message in a node's replica. The replica may be ahead of this leader, because
    /// the clocks of nodes differ.
    private func advance(_ application: PubNubApplication, past cursor: UInt64) -> Bool {
        application.withState { application.advance(past: cursor, within: TimetokenClock.furthestAdvance, &$0) }
    }

    /// Drops the snapshots of a node that has left. Its polls have ended, but its users stay present: they reconnect through another node
    /// or time out (rule CB-32).
    func left(_ node: ClusterNode) { snapshots.withLockedValue { $0.remove(node.incarnation) } }

    /// Makes all nodes replace their replicas by the leader's state. After Redis has lost data, call it before the leader makes any
    /// decision. Otherwise a node would continue with its old replica, and deliver the next message without reporting a gap (rule CB-6).
    func restartAll() {
        for application in streams.applications { restart(application, on: .all) }
    }

    private func restart(_ application: PubNubApplication, on audience: ClusterAudience) {
        context.output.emit(PubNubFact.restart.encoded(of: application.subscribeKey), of: .pubnub, to: audience)
    }

    /// Prepares a snapshot of a keyset for a node, and announces it in the log: all later decisions follow the announcement.
    ///
    /// - Parameters:
    ///   - known: the timetoken up to which the node has all messages; 0 for a complete snapshot.
    ///   - hasMessages: false for a node that requests the messages that its polls need (rule CB-52).
    /// - Returns: false, without an announcement, when the keyset no longer has all messages after `known`.
    @discardableResult
    private func takeSnapshot(
        of application: PubNubApplication, for node: ClusterNode, after known: UInt64, hasMessages: Bool = true
    ) -> Bool {
        application.withState { state in
            let streams =
                hasMessages
                ? state.streams.snapshot(after: known, maximumBytes: Self.stateBytes)
                : StreamSnapshot(entries: [], since: state.streams.visible, dropped: [], visible: state.streams.visible)
            guard known == 0 || known >= streams.since else { return false }
            let groups = state.groups.names.map {
                PubNubFact.GroupContent(name: $0, channels: state.groups.channels(of: $0))
            }
            let dropped = streams.dropped.map { PubNubFact.DroppedMessages(channel: $0.channel, timetoken: $0.timetoken) }
            // During this closure, `withAccess` lets no access manager entry be stored. So entries that are not in the snapshot are
            // published after the snapshot.
            store.withAccess(of: application) { entries in
                let snapshot = KeysetSnapshot(
                    of: application.subscribeKey, messages: streams.entries.map(\.message), groups: groups, access: entries,
                    dropped: dropped, visible: streams.visible)
                let number = snapshots.withLockedValue { $0.add(snapshot, for: node.incarnation) }
                let fact = PubNubFact.stateAt(snapshot: number, since: streams.since, isWhole: known == 0)
                context.output.emit(fact.encoded(of: application.subscribeKey), of: .pubnub, to: .node(node))
            }
            return true
        }
    }

    // MARK: Keysets

    /// Starts restored keysets, and restores their presence, which is stored separately.
    func begin(_ applications: [PubNubApplication]) async throws {
        for application in applications {
            let records = try await store.redis.restorePresence(Identifier(application.subscribeKey))
            let time = application.occupancyTime
            application.withState { state in
                state.occupancy.restore(records, at: time)
                state.occupancy.recordChanges()
            }
            store.use(application.grants, of: application.subscribeKey)
        }
    }

    /// Makes decisions for these keysets from now on. Nodes request the state of the new keysets.
    func take(_ keysets: [Keyset]) async throws {
        let reload = try await streams.prepare(keysets)
        try await begin(reload.new)
        streams.take(reload)
        for application in reload.new { restart(application, on: .all) }
    }

    // MARK: Time

    func startSweeping(every interval: Duration) {
        let delay = TimeAmount(interval)
        let task = context.eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { [weak self] task in
            guard let self else { return task.cancel() }
            self.sweep()
        }
        timer.withLockedValue { $0 = task }
        guard let lasting = store.lasting else { return }
        // The messages that the former leader has stored without answering their publishers are dropped after ten seconds. By then, nodes
        // and clients have repeated their requests.
        context.eventLoop.scheduleTask(in: .seconds(10)) { lasting.forgetUnanswered() }
    }

    private func sweep() {
        streams.sweep(for: self) { [eventLoop = context.eventLoop] body in eventLoop.execute(body) }
        countExpired()
        // With a database, expired data need not be purged here, because the database deletes it.
        guard store.lasting == nil else { return }
        guard
            isPurging.withLockedValue({ isPurging in
                defer { isPurging = true }
                return !isPurging
            })
        else { return }
        let (redis, keysets) = (store.redis, streams.applications.map { Identifier($0.subscribeKey) })
        Task {
            // Each call purges a limited number of messages of one keyset; the next sweep continues.
            for keyset in keysets { _ = try? await redis.purge(keyset) }
            isPurging.withLockedValue { $0 = false }
        }
    }

    /// Drops webhook events of the previous leader whose addresses are no longer configured, and counts them as expired.
    private func countExpired() {
        let expired = store.journal.expire()
        guard !expired.isEmpty else { return }
        for application in streams.applications {
            if let count = expired[Identifier(application.subscribeKey)] { application.push.webhook.countExpired(count) }
        }
    }

    func prepareToResign() async {
        await withTaskGroup(of: Void.self) { group in
            for application in streams.applications { group.addTask { await application.push.webhook.hold() } }
        }
        await store.journal.settle()
    }

    func close() async {
        timer.withLockedValue { $0?.cancel() }
        streams.leave(self)
        await streams.close()
        await store.close()
    }

    // MARK: StreamNode: a leader holds no polls

    var eventLoopIDs: EventLoopSet { EventLoopSet() }
    func apply(_ change: StreamChange) {}
}
