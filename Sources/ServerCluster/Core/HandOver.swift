import ServerValues

/// The progress of a leader that hands over to another node.
enum HandOver: Hashable, Sendable {
    /// The services prepare to resign, and requests are still handled.
    case preparing(to: ClusterNode)
    /// No new requests are handled; requests in progress are still answered, and their results are stored.
    case draining(to: ClusterNode, until: MonotonicInstant)
}

// If another node is the preferred leader of the partition, the present leader resigns in its favour (rules CR-55 to CR-57).
extension ClusterCore {
    /// Proposes a hand-over if another node is the preferred leader, and ends a hand-over that takes too long.
    mutating func considerHandOver(at now: MonotonicInstant, into effects: inout [ClusterEffect]) {
        if case .draining(let successor, let limit) = handOver, now >= limit { return resign(to: successor, into: &effects) }
        guard let partition, handOver == nil, !isClosing, case .leader(let generation) = role, let leader,
            let ledSince, now.since(ledSince) >= handOverPolicy.settling, leader.isSteady(at: now, handOverPolicy)
        else { return }
        guard let successor = partition.preferred(among: leader.nodes), successor != node else { return }
        if let reluctance, reluctance.node == successor, now < reluctance.end { return }
        effects.append(.proposeHandOver(to: successor, generation: generation))
    }

    /// Begins to hand over to a node. The owner makes the leader's services prepare, and then calls
    /// ``readyToHandOver(generation:at:into:)``.
    package mutating func handOver(
        to successor: ClusterNode, generation: UInt64, into effects: inout [ClusterEffect]
    ) {
        guard role == .leader(generation: generation), handOver == nil, !isClosing, successor != node else { return }
        handOver = .preparing(to: successor)
        effects.append(.prepareToResign(generation: generation))
    }

    /// Records that the leader's services are prepared to resign. From now on, new requests wait for the next leader.
    package mutating func readyToHandOver(
        generation: UInt64, at now: MonotonicInstant, into effects: inout [ClusterEffect]
    ) {
        guard role == .leader(generation: generation), case .preparing(let successor) = handOver else { return }
        handOver = .draining(to: successor, until: now.advanced(by: handOverPolicy.drain))
        withLeader(&effects) { machine, _ in machine.pause() }
    }

    /// Resigns once all decisions are stored and all handled requests are answered.
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
        // A successor that has left the cluster in the meantime gets no head start, which would only delay the election.
        effects.append(
            isMember ? .resign(inFavourOf: successor, generation: generation) : .elect(.resign, generation: generation))
    }

    /// Records which node leads after this one has resigned in favour of a successor. If another node than the successor leads, the
    /// successor is not chosen again for a while.
    mutating func noteSuccessor(_ leader: ClusterNode, at now: MonotonicInstant) {
        guard let offered else { return }
        self.offered = nil
        if leader != offered { reluctance = (offered, now.advanced(by: handOverPolicy.reluctance)) }
    }
}
