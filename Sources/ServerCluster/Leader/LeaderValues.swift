import NIOCore
import RedisClient
import ServerValues

/// How a leader treats nodes and the log.
package struct LeaderPolicy: Hashable, Sendable {
    /// The time without a sign of life after which a node is removed.
    package var nodeTimeout: Duration = .seconds(10)
    /// How much of its time the node of the leader before has lost at most when the next leader begins: it may have been away for as long as
    /// Redis was, and needs some seconds to announce itself.
    package var longestSilence: Duration = .seconds(6)
    /// If the leader has received nothing of its own node for this long, the silence of other nodes means nothing, because messages do
    /// not pass. Two heartbeats.
    package var hearing: Duration = .seconds(4)
    /// Bytes of one batch, at which it is cut where it may be.
    package var batchBytes = 1_048_576
    /// Bytes of one batch at most: what would have to be in one batch and exceeds this is divided into several.
    package var joinedBytes = 8_388_608
    /// The greatest length in bytes of a fact, answer or command. Exceeding it ends the leadership, because Redis would never accept
    /// it.
    package var longestCommand = 50_331_648
    /// Bytes of latest batches that are kept in memory, to be appended again by a Redis that has lost them.
    package var keptBytes = 33_554_432
    /// How long batches stay in the log: a node may be away for this long without missing anything.
    package var logTime: Duration = .seconds(120)
    /// How many batches stay in the log at most.
    package var logLength = 50_000
    /// How many bytes of batches stay in the log at most.
    package var logBytes = 67_108_864
    /// How long to wait before a batch that Redis refused is tried again.
    package var refusal: Duration = .milliseconds(250)
    /// Bytes of one piece of an answer beside the log.
    package var pieceBytes = 65_536
    /// Bytes of answers beside the log that are on their way to one node.
    package var answerWindow = 524_288
    /// Bytes of answers beside the log that wait for one node. An answer that exceeds this fails.
    package var answerBytes = 67_108_864
    /// After how long without a confirmation answers beside the log are sent again.
    package var answerRetry: Duration = .seconds(1)
    /// Nodes at a time.
    package var nodes = 60

    package init() {}
}

/// An emission of a leader's service, to be stored and published.
package struct ClusterEmission: Sendable {
    package var item: ClusterItem?
    package var writes: [RedisCommand]
    /// The owner's id of the emission; nil when no caller waits.
    package var id: UInt64?
    /// Whether it has to be in one batch with the emission before it.
    package var isJoined: Bool
    /// Whether an emission is complete with this part of it.
    var isComplete = true

    package init(item: ClusterItem?, writes: [RedisCommand] = [], id: UInt64? = nil, isJoined: Bool = false) {
        self.item = item
        self.writes = writes
        self.id = id
        self.isJoined = isJoined
    }

    private init(part isJoined: Bool) {
        self.init(item: nil, isJoined: isJoined)
        isComplete = false
    }

    var cost: Int { writes.reduce(item?.cost ?? 0) { $0 + $1.cost } }

    /// Splits the emission into several with the same total effect, each of at most `limit` bytes unless a single command is larger.
    /// The facts for nodes come with the last one.
    func parts(of limit: Int) -> [ClusterEmission] {
        guard cost > limit else { return [self] }
        var parts: [ClusterEmission] = []
        var part = ClusterEmission(part: isJoined)
        var bytes = 0
        for command in writes.lazy.flatMap(\.pieces) {
            let cost = command.cost
            if bytes > 0, bytes + cost > limit {
                parts.append(part)
                part = ClusterEmission(part: true)
                bytes = 0
            }
            part.writes.append(command)
            bytes += cost
        }
        if bytes > 0, bytes + (item?.cost ?? 0) > limit {
            parts.append(part)
            part = ClusterEmission(part: true)
        }
        part.item = item
        part.id = id
        part.isComplete = true
        return parts + [part]
    }
}

/// A batch with all that Redis has to do with it.
package struct ClusterCommit: Hashable, Sendable {
    package var batch: ClusterBatch
    package var writes: [RedisCommand]
    /// Batches before this one may be deleted; nil for none.
    package var trim: ClusterPosition?

    package init(batch: ClusterBatch, writes: [RedisCommand], trim: ClusterPosition? = nil) {
        self.batch = batch
        self.writes = writes
        self.trim = trim
    }
}

/// The answer of Redis to a batch.
package enum CommitOutcome: Hashable, Sendable {
    /// The batch is stored, now or by an earlier attempt.
    case kept
    /// Another node leads, or none: nothing was done.
    case fenced
    /// Redis has lost batches: it has this one as its last.
    case behind(UInt64)
    /// Redis refuses writes at present; nothing was written.
    case refused
    /// Whether it is stored is not known.
    case unknown
}

/// An effect that the owner of a leader performs.
package enum LeaderEffect: Sendable {
    case commit(ClusterCommit)
    /// Hand a node's request to a service; its answer goes to ``LeaderMachine/answer(_:number:_:)``.
    ///
    /// - Parameter isQuery: whether the answer goes to ``LeaderMachine/answerQuery(_:number:_:at:into:)`` instead.
    case handle(ClusterServiceID, ByteBuffer, from: ClusterNode, ClusterSession, number: UInt64, isQuery: Bool)
    /// Publish answers to a node beside the log, if this process still leads.
    case answer(ClusterAnswers, to: ClusterNode)
    case announced([ClusterServiceID: [ByteBuffer]], by: ClusterNode)
    /// End the subscriptions and sessions of a node's clients, then call ``LeaderMachine/forget(_:)``.
    case left(ClusterNode)
    /// End what a node held. The node comes back and announces itself anew.
    case lost(ClusterNode)
    /// An emission is stored, or never will be.
    case completed(UInt64, Bool)
    /// The leader resigns. ``end`` follows.
    case resign(LeaderResignation)
    /// This node leads no longer.
    case end
}

/// Why a leader resigns.
package enum LeaderResignation: Hashable, Sendable {
    /// Confirmed data is lost: the services of the next leader begin with the knowledge of it.
    case lost
    /// Something that was decided has this many bytes, more than Redis takes at once: it is kept nowhere.
    case tooLong(bytes: Int)
}
