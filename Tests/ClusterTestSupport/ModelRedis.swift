import ServerCluster

/// What the scripts and commands of a cluster do, as a value, with the faults of a real server: it can lose its latest writes, or all.
package struct ModelRedis: Sendable {
    package struct Record: Sendable {
        package var position: ClusterPosition
        package var node: ClusterNode
        package var expires: Int
        /// The last batch before the leader's first one.
        package var before: ClusterPosition
        /// Whom the last leader has chosen, and until when nobody else is elected.
        package var reserved: (node: ClusterNode, end: Int)?

        package var asRead: ClusterLeaderRecord { ClusterLeaderRecord(position: position, leader: node, previous: before) }
    }

    package struct Kept: Sendable {
        package var record: Record?
        package var log: [ClusterBatch] = []
        /// What is written with batches.
        package var collections = MemoryCollections()
    }

    package var kept = Kept()
    /// The latest states, oldest first: what a server that loses writes comes back with.
    private var history: [Kept] = []
    /// Milliseconds.
    package var time = 1_000_000
    /// What was published since it was last asked.
    package var published: [(channel: Channel, message: Message)] = []

    package init() {}

    package enum Channel: Hashable, Sendable {
        case log
        case requests(UInt64)
        case answers(UInt64)
    }

    package enum Message: Sendable {
        case batch(ClusterBatch)
        case resigned
        case requests(ClusterRequests)
        case answers(ClusterAnswers)
    }

    package mutating func elect(
        _ mode: ElectionMode, _ node: ClusterNode, generation: UInt64?, seen: UInt64, successor: ClusterNode? = nil
    ) -> ElectionOutcome {
        let isOwn = kept.record.map { $0.position.generation == generation && $0.node == node } ?? false
        if mode == .resign {
            if isOwn {
                kept.record?.expires = 0
                kept.record?.reserved = successor.map { ($0, time + 500) }
                published.append((.log, .resigned))
            }
            return .vacant
        }
        if mode == .renew, isOwn {
            kept.record?.expires = time + 5_000
            return .leading
        }
        if mode != .renew {
            if let record = kept.record, record.expires == 0, let reserved = record.reserved, reserved.node != node,
                (1...5_000).contains(reserved.end - time)
            {
                return .vacant
            }
            let isFree =
                kept.record.map {
                    $0.expires == 0 || (mode != .look && $0.expires <= time)
                        || (mode == .take && $0.position.generation == generation)
                } ?? true
            if isFree {
                let previous = kept.record?.asRead.last ?? .origin
                let former = kept.record.flatMap { record in
                    record.expires == 0
                        ? nil : FormerLeader(node: record.node, silence: .milliseconds(max(0, time - record.expires + 5_000)))
                }
                let next = max(UInt64(max(time, 0)), max(kept.record?.position.generation ?? 0, seen) + 1)
                kept.record = Record(
                    position: ClusterPosition(generation: next, sequence: 0), node: node, expires: time + 5_000,
                    before: previous)
                return .elected(generation: next, previous: previous, former: former)
            }
        }
        guard let record = kept.record else { return .vacant }
        return .following(record.asRead)
    }

    /// - Returns: whether the leader that answers still leads.
    package mutating func answer(_ answers: ClusterAnswers, to node: ClusterNode) -> Bool {
        guard kept.record?.position.generation == answers.generation else { return false }
        published.append((.answers(node.incarnation), .answers(answers)))
        return true
    }

    package mutating func commit(_ commit: ClusterCommit) -> CommitOutcome {
        let position = commit.batch.position
        guard let record = kept.record, record.position.generation == position.generation else { return .fenced }
        if position.sequence <= record.position.sequence { return .kept }
        if position.sequence > record.position.sequence + 1 { return .behind(record.position.sequence) }
        history.append(kept)
        if history.count > 20 { history.removeFirst() }
        for write in commit.writes { kept.collections.perform(write) }
        kept.log.append(commit.batch)
        if let trim = commit.trim { kept.log.removeAll { $0.position < trim } }
        kept.record?.position = position
        published.append((.log, .batch(commit.batch)))
        return .kept
    }

    package func log(after position: ClusterPosition) -> [ClusterBatch] { kept.log.filter { $0.position > position } }

    /// Comes back without the latest writes.
    package mutating func lose(_ count: Int) {
        guard count > 0, !history.isEmpty else { return }
        let index = max(0, history.count - count)
        kept = history[index]
        history.removeSubrange(index...)
    }

    package mutating func loseAll() {
        kept = Kept()
        history = []
    }
}
