import ServerValues

/// The times of a leader that hands over to another node (rules CR-55 to CR-57).
package struct HandOverPolicy: Hashable, Sendable {
    /// How long a process leads, and all nodes have been members, before it hands over.
    package var settling: Duration = .seconds(5)
    /// The time between two hand-overs of one process, of all its partitions together.
    package var pause: Duration = .seconds(2)
    /// How long new requests wait at most until those that are being handled are answered.
    package var drain: Duration = .seconds(1)
    /// How long other nodes leave the election to the one that the leader has chosen.
    package var headStart: Duration = .milliseconds(500)
    /// How long a leader does not choose a node again that did not take over.
    package var reluctance: Duration = .seconds(60)

    package init() {}
}

extension LeaderMachine {
    /// Whether the same nodes have taken part for some time, all of them can be heard, and the store takes what is decided.
    func isSteady(at now: MonotonicInstant, _ policy: HandOverPolicy) -> Bool {
        guard isOpen, !isRefused, !isPaused, hearsItself(at: now), queuedBytes < self.policy.batchBytes else { return false }
        return seats.values.allSatisfy { seat in
            guard let announced = seat.announcedAt, !seat.isExpected else { return false }
            return now.since(announced) >= policy.settling && now.since(seat.lastHeard) < self.policy.hearing
        }
    }

    /// Stops handling requests, so that the leader can hand over once ``isDrained`` is true.
    mutating func pause() { isPaused = true }
}
