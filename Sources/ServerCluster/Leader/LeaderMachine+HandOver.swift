import ServerValues

/// The time limits of a leader that hands over to another node (rules CR-55 to CR-57).
package struct HandOverPolicy: Hashable, Sendable {
    /// How long a process must have led, with the same nodes as members, before it hands over.
    package var settling: Duration = .seconds(5)
    /// The shortest time between two hand-overs of one process, counted for all its partitions together.
    package var pause: Duration = .seconds(2)
    /// How long a leader waits at most for the answers to requests in progress, while new requests wait for the next leader.
    package var drain: Duration = .seconds(1)
    /// How long the other nodes do not ask to lead, so that the node that the resigning leader has chosen is elected first.
    package var headStart: Duration = .milliseconds(500)
    /// How long a leader does not choose a node as its successor again after that node has not taken over.
    package var reluctance: Duration = .seconds(60)

    package init() {}
}

extension LeaderMachine {
    /// Whether the same nodes have been members for some time, the leader receives messages of all of them, and the store accepts its
    /// batches.
    func isSteady(at now: MonotonicInstant, _ policy: HandOverPolicy) -> Bool {
        guard isOpen, !isRefused, !isPaused, hearsItself(at: now), queuedBytes < self.policy.batchBytes else { return false }
        return seats.values.allSatisfy { seat in
            guard let announced = seat.announcedAt, !seat.isExpected else { return false }
            return now.since(announced) >= policy.settling && now.since(seat.lastHeard) < self.policy.hearing
        }
    }

    /// Ignores requests from now on, so that the leader can resign once ``isDrained`` is true.
    mutating func pause() { isPaused = true }
}
