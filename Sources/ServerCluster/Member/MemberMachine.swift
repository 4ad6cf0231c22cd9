import DequeModule
import NIOCore
import ServerValues

/// One node of a cluster as a value: it follows the log without gaps and repetitions, and sends the requests of the node's services to the
/// leader.
///
/// ```
/// away ──restored──▶ locating ──record──▶ current ◀──▶ reading
///   ▲                                        │
///   └───────────── interrupted ──────────────┘
/// ```
package struct MemberMachine: Sendable {
    package enum Phase: Hashable, Sendable {
        /// The connection to the store is lost, so messages of the log may be missing.
        case away(since: MonotonicInstant)
        /// The leader and the end of the log are being read. `isBehind`: whether a message of the log arrived during that.
        case locating(isBehind: Bool)
        /// Missed batches are being read. `isBehind`: whether further ones arrived during that.
        case reading(isBehind: Bool)
        /// The node has all batches of the log, and each new one follows the last one.
        case current
    }

    struct Outstanding: Sendable {
        /// The id under which the owner gets the answer; nil for announcements and for cancelled requests.
        var id: UInt64?
        /// The request's number; nil until it is first sent to the present leader.
        var number: UInt64?
        var kind: ClusterRequest.Kind
        var service: ClusterServiceID?
        var payload: ByteBuffer
        var deadline: MonotonicInstant?
        var isRepeatable: Bool
        /// Whether the request was ever sent, to the present leader or a former one.
        var wasSent = false

        var cost: Int { payload.readableBytes + 64 }
    }

    package let node: ClusterNode
    let policy: MemberPolicy
    package internal(set) var phase: Phase
    package internal(set) var position: ClusterPosition?
    package internal(set) var leader: ClusterLeaderRecord?
    package internal(set) var session: UInt32 = 1
    /// The highest generation (number of an election) of any batch or leader that this node has seen.
    package internal(set) var highestGeneration: UInt64 = 0
    /// The position of the last loss in the log that this node's services have reported to their clients; nil for none. Clients that
    /// connected after the loss need no report, because the leader that admitted them was informed of the loss.
    private var told: ClusterPosition?
    /// If the log has lost batches that this node had applied, the last batch that both have; nil otherwise, and once the leader has
    /// notified all nodes of the loss.
    private(set) var fork: ClusterPosition?
    /// Whether the announcement was sent to the present leader.
    var hasAnnounced = false
    /// Whether the present leader accepts requests. It ignores them until its services have restored the stored state (rule CR-12).
    package internal(set) var isLed = false
    var numbers: UInt64 = 0
    /// The unanswered requests: first the ones that the leader has processed, then those that were sent, then those that were not sent yet.
    var outstanding = Deque<Outstanding>()
    var takenCount = 0
    var sentCount = 0
    /// The number of bytes of requests that were sent and that the leader has not confirmed.
    var window = 0
    package internal(set) var waitingBytes = 0
    /// The time since which the leader has not confirmed any sent request; nil when no sent request is unconfirmed.
    var silentSince: MonotonicInstant?
    var lastPublished: MonotonicInstant?
    /// Joins the present leader's answers to queries from their pieces.
    var answers = AnswerReceiver()
    /// Whether the node has left the cluster.
    var isClosed = false
    private var isIsolated = false
    private var asked: MonotonicInstant?
    /// The number of consecutive reads of the log that returned nothing although batches are missing.
    private var emptyReads = 0

    /// The number of times that the log had to be read because messages were missing.
    package private(set) var repairs = 0
    package private(set) var losses = 0

    package init(_ node: ClusterNode, policy: MemberPolicy = MemberPolicy(), at now: MonotonicInstant) {
        self.node = node
        self.policy = policy
        phase = .away(since: now)
    }

    // MARK: Connection to the store

    /// Records that from now on all messages of the log arrive, because the connection is restored.
    package mutating func restored(at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        isIsolated = false
        locate(at: now, into: &effects)
    }

    /// Records that from now on messages of the log may be missing, because the connection is interrupted.
    package mutating func interrupted(at now: MonotonicInstant) {
        if case .away = phase { return }
        phase = .away(since: now)
    }

    private mutating func locate(at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        phase = .locating(isBehind: false)
        asked = now
        effects.append(.readPosition)
    }

    private mutating func read(after position: ClusterPosition, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        phase = .reading(isBehind: false)
        asked = now
        repairs += 1
        effects.append(.readLog(after: position))
    }

    /// Handles the answer to ``MemberEffect/readPosition``. `record` is nil when there is no leader.
    package mutating func located(_ record: ClusterLeaderRecord?, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        guard case .locating(let isBehind) = phase else { return }
        asked = nil
        phase = .current
        if let record { highestGeneration = max(highestGeneration, record.position.generation) }
        guard let position else {
            // The store is asked again, because a message of the log arrived meanwhile: it may come from a leader that was elected after
            // the store had answered.
            if isBehind, record == nil { return locate(at: now, into: &effects) }
            guard let record else { return }
            // Batches from before this node joined are not needed, because the leader sends the current state to this node.
            self.position = record.last
            return follow(record, at: now, into: &effects)
        }
        // The store has lost the record of the last leader, together with all data that was stored since that leader's election.
        if let record, record.position.generation < position.generation {
            return diverge(from: record.last, at: now, into: &effects)
        }
        if isBehind || (record.map { $0.last != position } ?? false) { read(after: position, at: now, into: &effects) }
    }

    /// Handles the answer to ``MemberEffect/readLog(after:)``.
    ///
    /// - Parameter isAll: whether the log has no batches after these.
    package mutating func read(
        _ batches: [ClusterBatch], isAll: Bool, at now: MonotonicInstant, into effects: inout [MemberEffect]
    ) {
        guard case .reading = phase, let start = position else { return }
        asked = nil
        for batch in batches where !isKnown(batch) {
            guard batch.previous == position else { return diverge(from: batch.previous, at: now, into: &effects) }
            apply(batch, at: now, into: &effects)
            // If the phase has changed, one of the batches has reported that the leader had removed this node, and the node has started
            // again.
            guard case .reading = phase else { return }
        }
        guard case .reading(let isBehind) = phase, let position else { return }
        emptyReads = position == start ? emptyReads + 1 : 0
        guard !isAll || isBehind else {
            phase = .current
            return
        }
        // A received batch does not follow the last one, and repeated reads find nothing in between: the missing batches are lost.
        guard emptyReads < 3 else { return lose(.logEnded, at: now, into: &effects) }
        read(after: position, at: now, into: &effects)
    }

    /// Records that the store did not answer the last read; the next tick repeats it.
    package mutating func readFailed() {
        asked = nil
    }

    // MARK: The log

    /// Handles a batch that the store has published.
    package mutating func receive(_ batch: ClusterBatch, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        switch phase {
        case .away: return
        case .locating: if !isKnown(batch) { phase = .locating(isBehind: true) }
        case .reading: if !isKnown(batch) { phase = .reading(isBehind: true) }
        case .current:
            guard let position else { return locate(at: now, into: &effects) }
            if batch.previous == position {
                apply(batch, at: now, into: &effects)
            } else if !isKnown(batch) {
                read(after: position, at: now, into: &effects)
            }
        }
    }

    private func isKnown(_ batch: ClusterBatch) -> Bool {
        guard let position else { return false }
        return batch.position <= position
    }

    private mutating func apply(_ batch: ClusterBatch, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        position = batch.position
        highestGeneration = max(highestGeneration, batch.position.generation)
        if leader?.position.generation != batch.position.generation {
            follow(
                ClusterLeaderRecord(position: batch.position, leader: batch.leader, previous: batch.previous), at: now,
                into: &effects)
        }
        for item in batch.items {
            switch item {
            case .fact(let service, let audience, let payload):
                if audience.contains(node) { effects.append(.apply(service, payload)) }
            case .answer(let session, let number, let payload) where isOwn(session):
                answer(number, payload, into: &effects)
            case .taken(let session, let number) where isOwn(session):
                isLed = true
                taken(upTo: number, at: now)
            case .expelled(let session) where isOwn(session): return lose(.expelled, at: now, into: &effects)
            case .opened:
                isLed = true
                // A leader that was elected after this node had left still has the node from the previous leader, so the node informs this
                // leader, too, that it has left.
                if isClosed { leave(into: &effects) } else { sendAgain() }
            case .forked(let place):
                if fork == place { fork = nil }
                // A node reports the loss to its clients even if it has followed the log only since the loss: the leader that admitted
                // these clients was not informed of the loss.
                if told != place, place < batch.position {
                    told = place
                    return lose(.logEnded, at: now, into: &effects)
                }
            case .answer, .taken, .expelled: break
            }
        }
        flush(at: now, into: &effects)
    }

    private func isOwn(_ session: ClusterSession) -> Bool {
        session == ClusterSession(incarnation: node.incarnation, session: self.session)
    }

    /// Handles that the log cannot be continued from this node's position: either batches that the node has not read were removed, or the
    /// log does not contain batches that the node has applied.
    private mutating func diverge(from last: ClusterPosition, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        // With an empty store there is no fork to report, because all nodes have lost all data.
        if let position, position > last, last != .origin { fork = last }
        lose(.logEnded, at: now, into: &effects)
    }

    /// Starts the node again in a new session: the services report the loss to their clients, and announce their remaining state.
    private mutating func lose(_ loss: MemberLoss, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        // A node that has left does not start again: the leader removes it, and it has no clients any more.
        guard !isClosed else { return }
        losses += 1
        session += 1
        position = nil
        leader = nil
        isLed = false
        emptyReads = 0
        forgetNumbers(hasLostAnswers: true, into: &effects)
        effects.append(.interrupt(loss))
        if loss != .isolated { locate(at: now, into: &effects) }
    }

    // MARK: Time

    package mutating func tick(at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        switch phase {
        case .away(let since):
            if !isIsolated, position != nil, now.since(since) >= policy.isolation {
                isIsolated = true
                lose(.isolated, at: now, into: &effects)
            }
        case .locating: if asked == nil { locate(at: now, into: &effects) }
        case .reading: if asked == nil, let position { read(after: position, at: now, into: &effects) }
        // There was no leader when the store was asked, or the leader's first message has not arrived yet.
        case .current: if position == nil { locate(at: now, into: &effects) }
        }
        expire(at: now, into: &effects)
        if let silentSince, now.since(silentSince) >= policy.retry {
            sendAgain()
        }
        flush(at: now, into: &effects)
        guard hasAnnounced, let leader, isReady else { return }
        if answers.isDue {
            effects.append(.publish(message([], leader), to: leader.leader))
            answers.confirm()
            lastPublished = now
        }
        if now.since(lastPublished ?? MonotonicInstant(nanoseconds: .min / 2)) >= policy.heartbeat {
            lastPublished = now
            effects.append(.publish(message([], leader), to: leader.leader))
        }
    }

    /// Makes the next ``flush(at:into:)`` send all unconfirmed requests again.
    private mutating func sendAgain() {
        silentSince = nil
        sentCount = takenCount
        window = 0
    }

    var isReady: Bool {
        if case .away = phase { false } else { true }
    }

    func message(_ requests: [ClusterRequest], _ leader: ClusterLeaderRecord) -> ClusterRequests {
        ClusterRequests(
            generation: leader.position.generation, node: node, session: session, received: answers.received, requests: requests)
    }
}

extension ClusterAudience {
    func contains(_ node: ClusterNode) -> Bool {
        switch self {
        case .all: true
        case .node(let only): only == node
        case .others(let one): one != node
        }
    }
}
