import NIOCore
import ServerValues

/// One process of a cluster as a value: its role as a node, its role as the leader while it leads, and the election.
///
/// A leader has a lease of five seconds, which it renews every second. Another process takes over when the lease has ended, or when the
/// leader's requests channel had no subscriber in two successive checks: a process that was killed has closed its connections. The state is
/// safe even if that process is still running, because the store refuses all writes of a former leader.
package struct ClusterCore: Sendable {
    package private(set) var member: MemberMachine
    package private(set) var leader: LeaderMachine?
    package private(set) var role = ClusterRole.follower
    /// The leader as last reported by the store; nil when there is no leader, and after the store has confirmed that this process is the
    /// leader.
    package private(set) var known: ClusterLeaderRecord?
    private let policy: ElectionPolicy
    private let leaderPolicy: LeaderPolicy
    let handOverPolicy: HandOverPolicy
    /// This process's partition; nil if the cluster has only one.
    let partition: ClusterPartition?
    var handOver: HandOver?
    /// The time since which this process leads and its services are ready; nil while it does not lead.
    var ledSince: MonotonicInstant?
    /// The node in whose favour this node last resigned; nil once the next leader is known.
    var offered: ClusterNode?
    /// A node that did not become the leader although this node had resigned in its favour, and the time before which that node is not
    /// chosen as successor again.
    var reluctance: (node: ClusterNode, end: MonotonicInstant)?
    private let nodesKey: StoreKey
    private let lossKey: StoreKey
    private var nextElection: MonotonicInstant
    private var isAsking = false
    /// The time since which the leader's requests channel has had no subscriber.
    private var unheardSince: MonotonicInstant?
    /// The time before which no election starts, even if the leader's lease has ended or its channel has no subscriber.
    private var grace: MonotonicInstant?
    /// The time before which this process does not ask to be elected, because its services could not start to lead.
    private var pause: MonotonicInstant?
    private var isReady = false
    private(set) var isClosing = false
    /// Whether the last answer of the store was that there is no leader.
    private var isVacant = false
    /// The number of times this process was elected.
    package private(set) var elections = 0

    package init(
        _ node: ClusterNode, nodesKey: StoreKey, lossKey: StoreKey, policy: ElectionPolicy = ElectionPolicy(),
        memberPolicy: MemberPolicy = MemberPolicy(), leaderPolicy: LeaderPolicy = LeaderPolicy(),
        partition: ClusterPartition? = nil, handOverPolicy: HandOverPolicy = HandOverPolicy(), at now: MonotonicInstant
    ) {
        self.partition = partition
        self.handOverPolicy = handOverPolicy
        member = MemberMachine(node, policy: memberPolicy, at: now)
        self.policy = policy
        self.leaderPolicy = leaderPolicy
        self.nodesKey = nodesKey
        self.lossKey = lossKey
        nextElection = now
    }

    package var node: ClusterNode { member.node }
    /// The generation in which this process leads or prepares to lead; nil while it does neither.
    package var generation: UInt64? { role.generation }
    /// The highest generation that this process has seen. Later generations are never lower, even if the store has lost its data.
    package var highestGeneration: UInt64 { max(member.highestGeneration, leader?.generation ?? 0) }

    /// Whether there is a leader that answers requests, as far as this process can determine. An elected leader whose services still
    /// restore the stored state does not count (rule CR-72).
    package var isLed: Bool {
        guard member.isLed, !isVacant, let followed = member.leader?.position.generation else { return false }
        // The result is false if the last election has named a newer leader, from which this node has not received a batch yet.
        return (role.generation ?? known?.position.generation ?? followed) <= followed
    }

    // MARK: Connection to the store

    package mutating func restored(at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        isReady = true
        nextElection = now
        unheardSince = nil
        // No election starts during the grace time, so that a leader that has lost the store as well can reconnect first. A process that
        // has just started has seen no leader, so it needs no grace time.
        if member.highestGeneration > 0 { grace = now.advanced(by: policy.grace) }
        withMember(at: now, &effects) { $0.restored(at: now, into: &$1) }
        withLeader(&effects) { $0.confirm(at: now, into: &$1) }
        tick(at: now, into: &effects)
    }

    package mutating func interrupted(at now: MonotonicInstant) {
        isReady = false
        isAsking = false
        member.interrupted(at: now)
    }

    // MARK: Election

    package mutating func elected(_ outcome: ElectionOutcome, at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        isAsking = false
        guard !isClosing else { return }
        if outcome != .failed { isVacant = outcome == .vacant }
        switch outcome {
        case .failed: break
        case .leading: known = nil
        case .elected(let generation, let previous, let former):
            guard role == .follower else { return }
            elections += 1
            noteSuccessor(node, at: now)
            unheardSince = nil
            role = .preparing(generation: generation)
            leader = LeaderMachine(
                node, generation: generation, previous: previous, former: former, nodesKey: nodesKey, lossKey: lossKey,
                policy: leaderPolicy, at: now)
            effects.append(.prepare(generation: generation))
        // This process asked twice to be elected, because the connection was interrupted, and the first request led to its election (rule
        // CR-90).
        case .following(let record) where record.leader == node && record.position.generation == role.generation: known = nil
        case .following(let record):
            retire(into: &effects)
            noteSuccessor(record.leader, at: now)
            if known?.position.generation != record.position.generation { unheardSince = nil }
            known = record
            effects.append(.countListeners(of: record.leader))
        case .vacant:
            retire(into: &effects)
            known = nil
            // The store has lost the record of the leader, which may be this process, so a new election is needed.
            nextElection = now
        }
    }

    /// Handles the number of subscribers to the leader's requests channel; nil when the store did not answer.
    package mutating func counted(_ listeners: Int?, at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        guard role == .follower, let known, let listeners else { return }
        guard listeners == 0, !isGracious(at: now) else {
            unheardSince = nil
            return
        }
        guard let since = unheardSince else {
            unheardSince = now
            return
        }
        guard now.since(since) >= policy.interval * 0.5, !isAsking, !isClosing else { return }
        isAsking = true
        effects.append(.elect(.take, generation: known.position.generation))
    }

    /// Records that the services of this process are ready to lead.
    ///
    /// - Parameters:
    ///   - nodes: the nodes of the previous leader.
    ///   - stopped: the nodes among `nodes` that have stopped.
    ///   - hasLost: whether the services were told that data was lost.
    package mutating func prepared(
        generation: UInt64, nodes: [ClusterNode], stopped: [ClusterNode] = [], hasLost: Bool, at now: MonotonicInstant,
        into effects: inout [ClusterEffect]
    ) {
        guard role == .preparing(generation: generation) else { return }
        role = .leader(generation: generation)
        ledSince = now
        pause = nil
        withLeader(&effects) { $0.open(to: nodes, stopped: stopped, hasLost: hasLost, at: now, into: &$1) }
    }

    /// Handles that the services could not prepare to lead. Another process may try to lead at once. This process tries again only after a
    /// pause, because the same failure may follow at once each time (rule CR-64).
    package mutating func preparationFailed(
        generation: UInt64, at now: MonotonicInstant, into effects: inout [ClusterEffect]
    ) {
        guard role == .preparing(generation: generation) else { return }
        pause = now.advanced(by: policy.interval)
        retire(into: &effects)
        effects.append(.elect(.resign, generation: generation))
    }

    private func isGracious(at now: MonotonicInstant) -> Bool { grace.map { now < $0 } ?? false }

    private mutating func retire(into effects: inout [ClusterEffect]) {
        withLeader(&effects) { $0.end(into: &$1) }
    }

    /// Leaves the cluster, and resigns if this process leads, so that any other node may lead.
    package mutating func close(at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        isClosing = true
        handOver = nil
        withMember(at: now, &effects) { $0.close(into: &$1) }
        guard let generation = role.generation else { return }
        retire(into: &effects)
        effects.append(.elect(.resign, generation: generation))
    }

    // MARK: Time

    package mutating func tick(at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        withMember(at: now, &effects) { $0.tick(at: now, into: &$1) }
        withLeader(&effects) { $0.tick(at: now, into: &$1) }
        considerHandOver(at: now, into: &effects)
        guard isReady, !isClosing, !isAsking, now >= nextElection, pause.map({ now >= $0 }) ?? true else { return }
        nextElection = now.advanced(by: policy.interval)
        isAsking = true
        let mode = isGracious(at: now) ? ElectionMode.look : .ask
        effects.append(role.generation.map { .elect(.renew, generation: $0) } ?? .elect(mode, generation: nil))
    }

    /// Records that the leader has resigned, so that this process may ask to be elected at once.
    package mutating func resigned(at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        guard role == .follower else { return }
        nextElection = now
        tick(at: now, into: &effects)
    }

    // MARK: Node and leader

    /// Changes the state of this process's node. The node's requests to the leader bypass the store when this process is the leader itself
    /// (rule CR-26).
    package mutating func withMember(
        at now: MonotonicInstant, _ effects: inout [ClusterEffect], _ body: (inout MemberMachine, inout [MemberEffect]) -> Void
    ) {
        var own: [MemberEffect] = []
        body(&member, &own)
        for effect in own {
            if leader != nil, case .publish(let requests, node) = effect, !requests.requests.isEmpty {
                withLeader(&effects) { $0.receive(requests, passedStore: false, at: now, into: &$1) }
            } else {
                effects.append(.member(effect))
            }
        }
    }

    package mutating func withLeader(
        _ effects: inout [ClusterEffect], _ body: (inout LeaderMachine, inout [LeaderEffect]) -> Void
    ) {
        var own: [LeaderEffect] = []
        // The machine is changed in place: it has many fields, and moving it would take longer than most changes.
        guard leader?.change(&own, body) != nil else { return }
        if !own.isEmpty { take(own, into: &effects) }
        endDrained(into: &effects)
    }

    private mutating func take(_ own: [LeaderEffect], into effects: inout [ClusterEffect]) {
        var resigns = false
        for effect in own {
            if case .resign = effect { resigns = true }
            effects.append(.leader(effect))
            guard case .end = effect else { continue }
            if let generation = role.generation, resigns { effects.append(.elect(.resign, generation: generation)) }
            resigns = false
            leader = nil
            (handOver, ledSince) = (nil, nil)
            role = .follower
            effects.append(.retire)
        }
    }
}
