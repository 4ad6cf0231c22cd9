import DequeModule
import NIOCore
import ServerValues

/// A node's side of the cluster as a value: follows the log without a gap and without a repetition, and sends the requests of the
/// node's services to the leader.
///
/// ```
/// away ──restored──▶ locating ──record──▶ current ◀──▶ reading
///   ▲                                        │
///   └───────────── interrupted ──────────────┘
/// ```
package struct MemberMachine: Sendable {
    package enum Phase: Hashable, Sendable {
        /// The connection is lost: messages of the log may be missing, and none is expected.
        case away(since: MonotonicInstant)
        /// The end of the log is being read. `isBehind`: whether a message arrived meanwhile.
        case locating(isBehind: Bool)
        /// Missed entries are being read. `isBehind`: whether further ones arrived meanwhile.
        case reading(isBehind: Bool)
        /// Every batch follows the preceding one.
        case current
    }

    struct Outstanding: Sendable {
        /// The owner's id of the request; nil for announcements and for cancelled requests.
        var id: UInt64?
        /// The request's number; nil until it is sent to the present leader for the first time.
        var number: UInt64?
        var kind: ClusterRequest.Kind
        var service: ClusterServiceID?
        var payload: ByteBuffer
        var deadline: MonotonicInstant?
        var isRepeatable: Bool
        /// Whether it was ever sent, to the present leader or a former one.
        var wasSent = false

        var cost: Int { payload.readableBytes + 64 }
    }

    package let node: ClusterNode
    let policy: MemberPolicy
    package internal(set) var phase: Phase
    package internal(set) var position: ClusterPosition?
    package internal(set) var leader: ClusterLeaderRecord?
    package internal(set) var session: UInt32 = 1
    /// The highest generation of any batch or leader that was seen.
    package internal(set) var highestGeneration: UInt64 = 0
    /// The last loss that the log has reported and this node's services have reported to their clients. Clients that connected
    /// later did so under a leader that knows of it.
    private var told: ClusterPosition?
    /// The last remaining batch of a log that has lost batches which this node had applied; kept until the leader has notified all
    /// nodes.
    private(set) var fork: ClusterPosition?
    /// Whether the announcement was sent to the present leader.
    var hasAnnounced = false
    /// Whether the present leader has begun: it ignores requests until its services have restored the stored state (rule CR-12).
    package internal(set) var isLed = false
    var numbers: UInt64 = 0
    /// First the requests that the leader has confirmed, then the sent ones, then those that were not sent yet.
    var outstanding = Deque<Outstanding>()
    var takenCount = 0
    var sentCount = 0
    /// The number of bytes that were sent and not confirmed.
    var window = 0
    package internal(set) var waitingBytes = 0
    /// The time since which the leader has confirmed no sent request.
    var silentSince: MonotonicInstant?
    var lastPublished: MonotonicInstant?
    /// Answers of the present leader to queries.
    var answers = AnswerReceiver()
    /// Whether the node has left the cluster.
    var isClosed = false
    private var isIsolated = false
    private var asked: MonotonicInstant?
    /// The number of consecutive reads that returned nothing although batches are missing.
    private var emptyReads = 0

    /// The number of times that the log had to be read because messages were missing.
    package private(set) var repairs = 0
    package private(set) var losses = 0

    package init(_ node: ClusterNode, policy: MemberPolicy = MemberPolicy(), at now: MonotonicInstant) {
        self.node = node
        self.policy = policy
        phase = .away(since: now)
    }

    // MARK: The way to the store

    /// Records that messages of the log are complete from here on.
    package mutating func restored(at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        isIsolated = false
        locate(at: now, into: &effects)
    }

    /// Records that messages of the log may be missing from here on.
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

    /// Handles the answer to ``MemberEffect/readPosition``; nil when there is no leader.
    package mutating func located(_ record: ClusterLeaderRecord?, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        guard case .locating(let isBehind) = phase else { return }
        asked = nil
        phase = .current
        if let record { highestGeneration = max(highestGeneration, record.position.generation) }
        guard let position else {
            // The messages that arrived meanwhile may come from a leader that did not exist when the store was asked.
            if isBehind, record == nil { return locate(at: now, into: &effects) }
            guard let record else { return }
            // Entries from before this node joined are not needed: the leader sends the state to this node.
            self.position = record.last
            return follow(record, at: now, into: &effects)
        }
        // The store has lost the record of the last leader, and all data that was stored since then.
        if let record, record.position.generation < position.generation {
            return diverge(from: record.last, at: now, into: &effects)
        }
        if isBehind || (record.map { $0.last != position } ?? false) { read(after: position, at: now, into: &effects) }
    }

    /// Handles the answer to ``MemberEffect/readLog(after:)``.
    ///
    /// - Parameter isAll: whether these batches are the last ones.
    package mutating func read(
        _ batches: [ClusterBatch], isAll: Bool, at now: MonotonicInstant, into effects: inout [MemberEffect]
    ) {
        guard case .reading = phase, let start = position else { return }
        asked = nil
        for batch in batches where !isKnown(batch) {
            guard batch.previous == position else { return diverge(from: batch.previous, at: now, into: &effects) }
            apply(batch, at: now, into: &effects)
            // The leader has removed this node, which starts anew.
            guard case .reading = phase else { return }
        }
        guard case .reading(let isBehind) = phase, let position else { return }
        emptyReads = position == start ? emptyReads + 1 : 0
        guard !isAll || isBehind else {
            phase = .current
            return
        }
        // A batch arrived that does not follow, and there is nothing between it and the last one: the missing batches are lost.
        guard emptyReads < 3 else { return lose(.logEnded, at: now, into: &effects) }
        read(after: position, at: now, into: &effects)
    }

    /// The store did not answer the request; the next tick repeats it.
    package mutating func readFailed() {
        asked = nil
    }

    // MARK: The log

    /// Handles a message of the log.
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
                // A leader that began after this node had left knows it from the last one.
                if isClosed { leave(into: &effects) } else { sendAgain() }
            case .forked(let place):
                if fork == place { fork = nil }
                // This includes a node that has followed the log only since then: the leader that admitted its clients did not know
                // of the loss.
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

    /// The log cannot be continued from this node's position: either entries that the node has not read were removed, or the log does
    /// not contain what the node has applied.
    private mutating func diverge(from last: ClusterPosition, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        // With an empty store, all nodes have lost all data.
        if let position, position > last, last != .origin { fork = last }
        lose(.logEnded, at: now, into: &effects)
    }

    /// Starts anew: the services report the loss to their clients, and announce the remaining state.
    private mutating func lose(_ loss: MemberLoss, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        // The leader removes a node that has left, which has no clients any more.
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
        // There was no leader, or its first message had not arrived yet.
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

    /// Sends requests that the leader has not confirmed again, at the next ``flush(at:into:)``.
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
