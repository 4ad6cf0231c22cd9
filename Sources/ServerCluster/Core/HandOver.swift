import ServerValues

/// Where a leader is on its way to hand over to another node.
enum HandOver: Hashable, Sendable {
    /// The services prepare for it, and requests are still handled.
    case preparing(to: ClusterNode)
    /// No new requests are handled; those that are under way are answered and stored.
    case draining(to: ClusterNode, until: MonotonicInstant)
}

// A leader that is not the preferred one among the nodes resigns in favour of that one (rules CR-55 to CR-57).
extension ClusterCore {
    /// Proposes a hand-over if another node should lead.
    mutating func considerHandOver(at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        if case .draining(let successor, let limit) = handOver, now >= limit { return resign(to: successor, into: &effects) }
        guard let partition, handOver == nil, !isClosing, case .leader(let generation) = role, let leader,
            let ledSince, now.since(ledSince) >= handOverPolicy.settling, leader.isSteady(at: now, handOverPolicy)
        else { return }
        guard let successor = partition.preferred(among: leader.nodes), successor != node else { return }
        if let reluctance, reluctance.node == successor, now < reluctance.end { return }
        effects.append(.proposeHandOver(to: successor, generation: generation))
    }

    /// Begins to hand over to a node. The owner prepares the services of the leader and calls ``readyToHandOver(generation:at:into:)``.
    package mutating func handOver(
        to successor: ClusterNode, generation: UInt64, into effects: inout [ClusterEffect]
    ) {
        guard role == .leader(generation: generation), handOver == nil, !isClosing, successor != node else { return }
        handOver = .preparing(to: successor)
        effects.append(.prepareToResign(generation: generation))
    }

    /// Records that the services of the leader are prepared: from now on new requests wait for the next leader.
    package mutating func readyToHandOver(
        generation: UInt64, at now: MonotonicInstant, into effects: inout [ClusterEffect]
    ) {
        guard role == .leader(generation: generation), case .preparing(let successor) = handOver else { return }
        handOver = .draining(to: successor, until: now.advanced(by: handOverPolicy.drain))
        withLeader(&effects) { machine, _ in machine.pause() }
    }

    /// Ends the leadership once everything that was decided is stored and answered.
    mutating func endDrained(into effects: inout [ClusterEffect]) {
        guard case .draining(let successor, _) = handOver, leader?.isDrained == true else { return }
        resign(to: successor, into: &effects)
    }

    private mutating func resign(to successor: ClusterNode, into effects: inout [ClusterEffect]) {
        guard let generation = role.generation else { return }
        let isMember = leader?.nodes.contains(successor) == true
        handOver = nil
        offered = successor
        withLeader(&effects) { $0.end(into: &$1) }
        // A node that has left meanwhile would only delay the election.
        effects.append(
            isMember ? .resign(inFavourOf: successor, generation: generation) : .elect(.resign, generation: generation))
    }

    /// Records who leads after this node has handed over.
    mutating func noteSuccessor(_ leader: ClusterNode, at now: MonotonicInstant) {
        guard let offered else { return }
        self.offered = nil
        if leader != offered { reluctance = (offered, now.advanced(by: handOverPolicy.reluctance)) }
    }
}
