import DequeModule
import NIOCore
import ServerValues

/// The leader of a cluster as a value: it processes the requests of nodes in order, removes silent nodes, and appends decisions to the log
/// in batches.
///
/// Only one batch is sent to the store at a time; later decisions become the next batch, so batches grow with the load.
package struct LeaderMachine: Sendable {
    struct Seat: Sendable {
        var session: UInt32
        /// The number of the node's last request that the leader has processed.
        var taken: UInt64 = 0
        /// The number up to which the leader has confirmed to the node that its requests are processed.
        var told: UInt64 = 0
        var lastHeard: MonotonicInstant
        /// The received parts of the node's announcement, by service; nil once the announcement is complete.
        var announcement: [ClusterServiceID: [ByteBuffer]]? = [:]
        /// Whether the node was a member under the previous leader and has not announced itself to this leader.
        var isExpected = false
        /// The time when the node announced itself to this leader; nil before.
        var announcedAt: MonotonicInstant?
        /// Sends the answers to the queries of the node's present session.
        var answers = AnswerSender()

        /// Counts a request as processed, and returns true, if its number is the next one.
        mutating func take(_ number: UInt64) -> Bool {
            guard number == taken + 1 else { return false }
            taken = number
            return true
        }

        /// Completes the announcement and returns its parts; nil when it was complete before.
        mutating func completeAnnouncement(at now: MonotonicInstant) -> [ClusterServiceID: [ByteBuffer]]? {
            defer { announcement = nil }
            isExpected = false
            announcedAt = now
            return announcement
        }
    }

    private struct Underway: Sendable {
        var commit: ClusterCommit
        var ids: [UInt64] = []
        /// The number of emissions (decisions of services with their writes) whose last part is in this batch.
        var emissions: UInt64 = 0
    }

    package let node: ClusterNode
    package let generation: UInt64
    let policy: LeaderPolicy
    /// The position of the last batch that this leader has made.
    package private(set) var position: ClusterPosition
    var seats: [ClusterNode: Seat] = [:]
    /// The sessions of nodes that the leader has removed, by the incarnation of the node. Messages of these sessions are ignored.
    var expelled: [UInt64: UInt32] = [:]
    private var queue = Deque<ClusterEmission>()
    package private(set) var queuedBytes = 0
    /// The number of emissions (decisions with their writes) that services have made so far. ``completed`` is the number of those that are
    /// stored.
    private var emitted: UInt64 = 0
    private var completed: UInt64 = 0
    /// Answers to queries in the order of their requests. An answer is sent only after all decisions that were made before it are stored:
    /// `emissions` is the number of these decisions.
    private var heldAnswers = Deque<(emissions: UInt64, session: ClusterSession, request: UInt64, payload: ByteBuffer)>()
    /// The size in bytes of a fact or write that is too long for the store; nil if there is none. If there is one, the leader resigns
    /// instead of making the next batch.
    private var tooLong: Int?
    /// The ids of the decisions that were too long for the store.
    private var refusedIDs: [UInt64] = []
    private var current: Underway?
    /// Whether the batch ``current`` is being written to the store.
    private var isUnderway = false
    private var retry: MonotonicInstant?
    /// The latest stored batches, oldest first, to be appended again if the store loses them.
    private var kept = Deque<(commit: KeptCommit, bytes: Int)>()
    private var keptBytes = 0
    /// This leader's batches that are still in the log, oldest first. The oldest ones are removed from the log next.
    private var log = Deque<(sequence: UInt64, bytes: Int, time: MonotonicInstant)>()
    private var logBytes = 0
    private var isOver = false
    private(set) var isOpen = false
    package private(set) var isRefused = false
    /// Whether requests are ignored, because the leader is about to resign.
    var isPaused = false
    /// The number of requests that were passed to services and not answered.
    var openRequests = 0

    /// Makes a leader that ignores requests until ``open(to:stopped:hasLost:at:into:)``. Decisions that services make before that call are
    /// stored before the log entry that opens the leadership.
    ///
    /// - Parameters:
    ///   - previous: the position of the last batch of the previous leader.
    ///   - former: the previous leader, from which nothing was received since it renewed its lease.
    ///   - nodesKey: a hash with a field for each node that has announced itself.
    ///   - lossKey: a key that exists when the services of the next leader have to report a loss of data.
    package init(
        _ node: ClusterNode, generation: UInt64, previous: ClusterPosition, former: FormerLeader? = nil, nodesKey: StoreKey,
        lossKey: StoreKey, policy: LeaderPolicy = LeaderPolicy(), at now: MonotonicInstant
    ) {
        self.node = node
        self.generation = generation
        self.policy = policy
        self.nodesKey = nodesKey
        self.lossKey = lossKey
        position = previous
        self.former = former.flatMap {
            $0.node == node ? nil : ($0.node, now.advanced(by: .zero - min(max($0.silence, .zero), policy.longestSilence)))
        }
    }

    /// Starts to accept requests, after the services have restored the stored state.
    ///
    /// - Parameters:
    ///   - known: the nodes of the previous leader, whose subscriptions and sessions the services have restored.
    ///   - stopped: the nodes among `known` that have stopped. They are removed at once.
    ///   - hasLost: whether the services were told of a loss of data.
    package mutating func open(
        to known: [ClusterNode], stopped: [ClusterNode] = [], hasLost: Bool = false, at now: MonotonicInstant,
        into effects: inout [LeaderEffect]
    ) {
        guard !isOpen, !isOver else { return }
        isOpen = true
        for node in known {
            var seat = Seat(session: 0, lastHeard: former.flatMap { $0.node == node ? $0.lastHeard : nil } ?? now)
            seat.isExpected = true
            seats[node] = seat
        }
        // The stored mark of a loss is removed now, because the services have restored the stored state and were told of the loss.
        emit(ClusterEmission(item: .opened, writes: hasLost ? [.unset(lossKey)] : []))
        flush(at: now, into: &effects)
        for node in stopped.sorted() where node != self.node { giveUp(node, into: &effects) }
    }

    private let nodesKey: StoreKey
    private let lossKey: StoreKey
    private var forks: Set<ClusterPosition> = []
    private let former: (node: ClusterNode, lastHeard: MonotonicInstant)?

    /// Makes a batch after a reconnect to the store. The answer to this batch shows whether the store has lost batches; lost batches are
    /// then appended again. Nodes that have missed the leader's first batch notice the leader by this batch. No other batch might follow,
    /// because a leader without nodes makes no decisions.
    mutating func confirm(at now: MonotonicInstant, into effects: inout [LeaderEffect]) {
        guard isOpen, !isOver else { return }
        emit(ClusterEmission(item: .opened))
        flush(at: now, into: &effects)
    }

    package var nodes: [ClusterNode] { seats.keys.sorted() }
    package var nodeCount: Int { seats.count }
    /// The nodes of the cluster, each with the time when the leader last received a message of it.
    package var members: [ClusterStatus.Member] {
        seats.map { ClusterStatus.Member(node: $0.key, lastHeard: $0.value.lastHeard, isExpected: $0.value.isExpected) }
            .sorted { ($0.node.name, $0.node) < ($1.node.name, $1.node) }
    }

    /// Runs a closure on the machine in place, without copying it.
    mutating func change(
        _ effects: inout [LeaderEffect], _ body: (inout LeaderMachine, inout [LeaderEffect]) -> Void
    ) {
        body(&self, &effects)
    }

    // MARK: Batches

    /// Adds an emission (a decision with its writes) to the queue for the next batches.
    package mutating func emit(_ emission: ClusterEmission) {
        guard !isOver else { return }
        let cost = emission.cost
        guard cost > policy.joinedBytes else {
            emitted += 1
            queuedBytes += cost
            return queue.append(emission)
        }
        let parts = emission.parts(of: policy.joinedBytes)
        if let longest = parts.lazy.map(\.cost).max(), longest > policy.longestCommand {
            tooLong = max(longest, tooLong ?? 0)
            if let id = emission.id { refusedIDs.append(id) }
            return
        }
        emitted += 1
        for part in parts {
            queuedBytes += part.cost
            queue.append(part)
        }
    }

    /// Answers a node's request.
    ///
    /// - Parameter isJoined: whether the answer must be in the same batch as the decisions before it.
    package mutating func answer(_ session: ClusterSession, number: UInt64, _ payload: ByteBuffer, isJoined: Bool) {
        openRequests -= 1
        // The answer becomes empty, because the next leader must not repeat a request whose result is too long: that would end its
        // leadership, too.
        let payload = isJoined && tooLong != nil ? ByteBuffer() : payload
        emit(ClusterEmission(item: .answer(session, number: number, payload), isJoined: isJoined))
    }

    /// Answers a node's query outside of the log, once all earlier decisions of this leader are stored.
    package mutating func answerQuery(
        _ session: ClusterSession, number: UInt64, _ payload: ByteBuffer, at now: MonotonicInstant,
        into effects: inout [LeaderEffect]
    ) {
        guard !isOver else { return }
        openRequests -= 1
        heldAnswers.append((emitted, session, number, payload))
        releaseAnswers(at: now, into: &effects)
    }

    private mutating func releaseAnswers(at now: MonotonicInstant, into effects: inout [LeaderEffect]) {
        while let first = heldAnswers.first, first.emissions <= completed {
            heldAnswers.removeFirst()
            guard let node = seats.first(where: { $0.key.incarnation == first.session.incarnation })?.key,
                seats[node]?.session == first.session.session
            else { continue }
            seats[node]?.answers.add(first.payload, to: first.request, policy)
            sendAnswers(to: node, at: now, into: &effects)
        }
    }

    /// Sends a node pieces of answers to its queries, until the limit of unconfirmed bytes is reached.
    mutating func sendAnswers(to node: ClusterNode, at now: MonotonicInstant, into effects: inout [LeaderEffect]) {
        guard let pieces = seats[node]?.answers.next(at: now, policy), !pieces.isEmpty, let session = seats[node]?.session
        else { return }
        effects.append(
            .answer(
                ClusterAnswers(
                    generation: generation, session: ClusterSession(incarnation: node.incarnation, session: session),
                    pieces: pieces), to: node))
    }

    /// Ends the leadership, because the store has reported that another process leads.
    package mutating func fenced(into effects: inout [LeaderEffect]) { end(into: &effects) }

    /// Makes the next batch from queued decisions, if no batch is in progress.
    package mutating func flush(at now: MonotonicInstant, into effects: inout [LeaderEffect]) {
        guard !isOver, current == nil else { return }
        var items: [ClusterItem] = []
        var writes: [StoreWrite] = []
        var ids: [UInt64] = []
        var (bytes, emissions) = (0, UInt64(0))
        // The dictionary is changed after the loop, because changing it while it is being read would copy it.
        var reached: [(node: ClusterNode, taken: UInt64)] = []
        for (node, seat) in seats where seat.taken > seat.told {
            items.append(.taken(ClusterSession(incarnation: node.incarnation, session: seat.session), upTo: seat.taken))
            reached.append((node, seat.taken))
        }
        for (node, taken) in reached { seats[node]?.told = taken }
        while let next = queue.first, next.isJoined || bytes < policy.batchBytes {
            let cost = next.cost
            if bytes > 0, bytes + (next.isJoined ? cost : joinedCost) > policy.joinedBytes { break }
            queue.removeFirst()
            bytes += cost
            emissions += next.isComplete ? 1 : 0
            queuedBytes -= cost
            if let item = next.item { items.append(item) }
            writes += next.writes
            if let id = next.id { ids.append(id) }
        }
        guard !items.isEmpty || !writes.isEmpty || !ids.isEmpty else {
            if tooLong != nil { resign(into: &effects) }
            return
        }
        current = Underway(
            commit: ClusterCommit(batch: makeBatch(items), writes: writes, trim: trim(at: now)), ids: ids, emissions: emissions)
        resend(into: &effects)
    }

    /// The number of bytes of the first queued decision and of the decisions that must be stored together with it, as far as they fit into
    /// one batch.
    private var joinedCost: Int {
        var cost = 0
        for (index, emission) in queue.enumerated() {
            if index > 0, !emission.isJoined || cost > policy.joinedBytes { break }
            cost += emission.cost
        }
        return cost > policy.joinedBytes ? queue.first?.cost ?? 0 : cost
    }

    /// Resigns because a decision is too long for the store. The next leader continues from the stored state.
    private mutating func resign(into effects: inout [LeaderEffect]) {
        for id in refusedIDs { effects.append(.completed(id, false)) }
        refusedIDs = []
        if let tooLong { effects.append(.resign(.tooLong(bytes: tooLong))) }
        end(into: &effects)
    }

    private mutating func makeBatch(_ items: [ClusterItem]) -> ClusterBatch {
        let previous = position
        let sequence = previous.generation == generation ? previous.sequence + 1 : 1
        position = ClusterPosition(generation: generation, sequence: sequence)
        return ClusterBatch(position: position, previous: previous, leader: node, items: items)
    }

    /// Returns the position before which batches are removed from the log, because they exceed its limits of age, number or bytes; nil for
    /// none.
    private mutating func trim(at now: MonotonicInstant) -> ClusterPosition? {
        var last: UInt64?
        while let first = log.first,
            now.since(first.time) > policy.logTime || log.count > policy.logLength || logBytes > policy.logBytes
        {
            last = first.sequence
            logBytes -= first.bytes
            log.removeFirst()
        }
        return last.map { ClusterPosition(generation: generation, sequence: $0 + 1) }
    }

    /// Handles the answer of the store to the batch in progress.
    ///
    /// - Parameter makesNext: whether the next batch is made at once; false for an owner that calls ``flush(at:into:)`` soon.
    package mutating func committed(
        _ outcome: CommitOutcome, at now: MonotonicInstant, makesNext: Bool = true, into effects: inout [LeaderEffect]
    ) {
        guard !isOver, isUnderway, let underway = current else { return }
        let commit = underway.commit
        isUnderway = false
        isRefused = outcome == .refused
        switch outcome {
        case .kept:
            if let index = replayed(commit) {
                // The batches that the store has lost are appended in their order. After the last of them follows the batch that the store
                // could not accept because of the loss.
                let next = kept.index(after: index)
                let again = waiting ?? underway
                guard next < kept.endIndex else {
                    waiting = nil
                    current = again
                    return resend(into: &effects)
                }
                return resend(kept[next].commit, into: &effects)
            }
            current = nil
            keep(commit, at: now)
            completed += underway.emissions
            for id in underway.ids { effects.append(.completed(id, true)) }
            if commit.batch.items.contains(where: { if case .forked = $0 { true } else { false } }) {
                effects.append(.resign(.lost))
                return end(into: &effects)
            }
            releaseAnswers(at: now, into: &effects)
            if makesNext { flush(at: now, into: &effects) }
        case .behind(let sequence):
            // The store has lost its latest batches. They are appended again, so that no node misses them.
            guard let index = kept.lastIndex(where: { $0.commit.position.sequence == sequence &+ 1 }) else {
                return end(into: &effects)
            }
            if waiting == nil { waiting = underway }
            resend(kept[index].commit, into: &effects)
        case .unknown: resend(into: &effects)
        case .refused: retry = now.advanced(by: policy.refusal)
        case .fenced: end(into: &effects)
        }
    }

    /// The batch that could not be stored, because the store had lost batches before it.
    private var waiting: Underway?

    private func replayed(_ commit: ClusterCommit) -> Int? {
        guard waiting != nil else { return nil }
        // The search begins at the end, because the store has lost only the latest of perhaps a hundred thousand batches.
        return kept.lastIndex { $0.commit.position == commit.batch.position }
    }

    private mutating func resend(_ commit: KeptCommit, into effects: inout [LeaderEffect]) {
        // Decoding fails only in theory, because this process has encoded the bytes. Without the batch, the leadership has to end.
        guard let commit = commit.commit else { return end(into: &effects) }
        current = Underway(commit: commit)
        resend(into: &effects)
    }

    private mutating func resend(into effects: inout [LeaderEffect]) {
        guard let current else { return }
        isUnderway = true
        effects.append(.commit(current.commit))
    }

    private mutating func keep(_ commit: ClusterCommit, at now: MonotonicInstant) {
        let bytes = commit.batch.items.reduce(commit.writes.reduce(64) { $0 + $1.cost }) { $0 + $1.cost }
        kept.append((KeptCommit(commit), bytes))
        keptBytes += bytes
        log.append((commit.batch.position.sequence, bytes, now))
        logBytes += bytes
        while kept.count > 1, keptBytes > policy.keptBytes, let first = kept.popFirst() { keptBytes -= first.bytes }
    }

    /// Ends the leadership. Queued decisions are not stored, and the callers that wait for them are notified of the failure.
    package mutating func end(into effects: inout [LeaderEffect]) {
        guard !isOver else { return }
        isOver = true
        for id in (current?.ids ?? []) + (waiting?.ids ?? []) + queue.compactMap(\.id) + refusedIDs {
            effects.append(.completed(id, false))
        }
        queue = []
        heldAnswers = []
        current = nil
        waiting = nil
        effects.append(.end)
    }

    /// Whether all decisions are stored, and all handled requests are answered.
    var isDrained: Bool {
        openRequests <= 0 && queue.isEmpty && current == nil && waiting == nil && heldAnswers.isEmpty
            && seats.values.allSatisfy { $0.answers.waitingBytes == 0 }
    }

    // MARK: Time

    package mutating func tick(at now: MonotonicInstant, into effects: inout [LeaderEffect]) {
        guard !isOver else { return }
        if let retry, retry <= now {
            self.retry = nil
            resend(into: &effects)
        }
        if hearsItself(at: now) {
            let silent = seats.filter { now.since($0.value.lastHeard) >= policy.nodeTimeout }.keys
            for node in silent.sorted() { giveUp(node, into: &effects) }
        }
        for node in seats.keys.sorted() {
            seats[node]?.answers.tick(at: now, policy)
            sendAnswers(to: node, at: now, into: &effects)
        }
        flush(at: now, into: &effects)
    }

    /// Whether messages pass through the store, which the heartbeats of this process's own node show.
    func hearsItself(at now: MonotonicInstant) -> Bool {
        seats[node].map { now.since($0.lastHeard) < policy.hearing } ?? false
    }

    /// Records a heartbeat of a node. When the leader receives its own heartbeats again after a break, the timeouts of all nodes start
    /// again, because no node's messages could arrive during the break.
    mutating func hear(_ node: ClusterNode, at now: MonotonicInstant) {
        if node == self.node, !hearsItself(at: now) {
            for key in seats.keys { seats[key]?.lastHeard = now }
        }
        seats[node]?.lastHeard = now
    }

    /// Removes a node and ends the subscriptions and sessions of its clients. The owner calls ``forget(_:)`` after the services have made
    /// the resulting decisions.
    mutating func giveUp(_ node: ClusterNode, into effects: inout [LeaderEffect]) {
        guard let seat = seats.removeValue(forKey: node) else { return }
        expelled[node.incarnation] = seat.session
        effects.append(.left(node))
    }

    /// Notifies a node of its removal from the cluster, and removes it from the stored list of nodes. Both are stored after the changes
    /// that the removal caused. If this leader ends before, the next leader still finds the node in the list and makes the remaining
    /// changes.
    package mutating func forget(_ node: ClusterNode) {
        emit(ClusterEmission(item: nil, writes: [.removeFields(nodesKey, [.text(node.description)])]))
        if let session = expelled[node.incarnation] {
            emit(
                ClusterEmission(item: .expelled(ClusterSession(incarnation: node.incarnation, session: session)), isJoined: true))
        }
    }

    /// Handles the report of a node that has applied batches which the log has lost, although they were confirmed. All nodes are notified,
    /// and the services of the next leader report the loss to their clients.
    ///
    /// - Parameter position: the last batch that the log and the node have in common.
    mutating func fork(at position: ClusterPosition) {
        guard forks.insert(position).inserted else { return }
        emit(ClusterEmission(item: .forked(at: position), writes: [.set(lossKey, .text(position.description))]))
    }

    /// Stores that this node has subscriptions and sessions, which the next leader has to end if the node does not return.
    mutating func note(_ node: ClusterNode) {
        emit(ClusterEmission(item: nil, writes: [.put(nodesKey, .text(node.description), value: 1)]))
    }

    /// Stores that this node stops, so that the next leader does not wait for its announcement (rule CR-15). Servers of earlier versions
    /// ignore this and wait nevertheless.
    ///
    /// - Parameter id: the id of the emission, for ``LeaderEffect/completed(_:_:)``.
    package mutating func noteStopping(id: UInt64) {
        emit(ClusterEmission(item: nil, writes: [.put(nodesKey, .text(node.description), value: 0)], id: id))
    }

    /// Whether a node has stopped, given its value in the stored hash of nodes.
    static func isStopped(_ value: ByteBuffer) -> Bool { value == ByteBuffer(string: "0") }
}
