import NIOCore
import ServerValues

/// A leader's limits for nodes, batches, the log, and answers to queries.
package struct LeaderPolicy: Hashable, Sendable {
    /// The time without a heartbeat after which a node is removed.
    package var nodeTimeout: Duration = .seconds(10)
    /// The longest silence that a new leader assumes for the node of the previous leader. That node may have been silent longer, because it
    /// was disconnected from the store. It needs some seconds to announce itself before ``nodeTimeout`` ends and the leader removes it.
    package var longestSilence: Duration = .seconds(6)
    /// If the leader has received nothing from its own node for this time, it ignores the silence of other nodes, because messages do not
    /// pass through the store. The time of two heartbeats.
    package var hearing: Duration = .seconds(4)
    /// The number of bytes at which a batch ends, unless the next decision must be in the same batch.
    package var batchBytes = 1_048_576
    /// The largest number of bytes of one batch. Decisions that should be stored in one batch but exceed this limit are divided among
    /// several.
    package var joinedBytes = 8_388_608
    /// The largest length of a fact, answer or write in bytes. A longer one ends the leadership, because the store would never accept it.
    package var longestCommand = 50_331_648
    /// The number of bytes of the latest batches that the leader keeps in memory, to append them again if the store loses them.
    package var keptBytes = 33_554_432
    /// How long batches stay in the log. A node that is disconnected for less than this time misses none.
    package var logTime: Duration = .seconds(120)
    /// The largest number of batches in the log.
    package var logLength = 50_000
    /// The largest total size, in bytes, of the batches in the log.
    package var logBytes = 67_108_864
    /// The pause before the leader sends a batch again that the store has refused.
    package var refusal: Duration = .milliseconds(250)
    /// The largest number of bytes of one piece of an answer to a query.
    package var pieceBytes = 65_536
    /// The largest number of unconfirmed bytes of answers to one node's queries.
    package var answerWindow = 524_288
    /// The largest number of bytes of answers to queries that are queued for one node. An answer that exceeds this limit fails.
    package var answerBytes = 67_108_864
    /// How long the leader waits for a node to confirm answers to its queries before it sends them again.
    package var answerRetry: Duration = .seconds(1)
    /// The largest number of nodes of a cluster at the same time.
    package var nodes = 60

    package init() {}
}

/// A decision of a leader's service, with the writes that are stored together with it. Nodes receive its item from the log.
package struct ClusterEmission: Sendable {
    package var item: ClusterItem?
    package var writes: [StoreWrite]
    /// The id under which the owner of the leader is notified when the decision is stored; nil when no caller waits for that.
    package var id: UInt64?
    /// Whether the decision must be stored in the same batch as the preceding one.
    package var isJoined: Bool
    /// Whether this is the last part of a decision that was divided; true for an undivided one.
    var isComplete = true

    package init(item: ClusterItem?, writes: [StoreWrite] = [], id: UInt64? = nil, isJoined: Bool = false) {
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

    /// Divides the decision into several with the same total effect, each of at most `limit` bytes unless a single write is larger. The
    /// item for the nodes is in the last part.
    func parts(of limit: Int) -> [ClusterEmission] {
        guard cost > limit else { return [self] }
        var parts: [ClusterEmission] = []
        var part = ClusterEmission(part: isJoined)
        var bytes = 0
        for write in writes.lazy.flatMap(\.pieces) {
            let cost = write.cost
            if bytes > 0, bytes + cost > limit {
                parts.append(part)
                part = ClusterEmission(part: true)
                bytes = 0
            }
            part.writes.append(write)
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

/// A batch with the writes that are stored together with it.
package struct ClusterCommit: Hashable, Sendable {
    package let batch: ClusterBatch
    /// The encoded batch. It is encoded only once, for the store and for the leader's memory.
    package let bytes: ByteBuffer
    package let writes: [StoreWrite]
    /// The position in the log before which batches may be removed; nil if none may be removed.
    package let trim: ClusterPosition?

    package init(batch: ClusterBatch, writes: [StoreWrite], trim: ClusterPosition? = nil) {
        self.init(batch: batch, bytes: batch.encoded(), writes: writes, trim: trim)
    }

    /// - Parameter bytes: `batch` in its encoded form.
    init(batch: ClusterBatch, bytes: ByteBuffer, writes: [StoreWrite], trim: ClusterPosition?) {
        self.batch = batch
        self.bytes = bytes
        self.writes = writes
        self.trim = trim
    }
}

/// The answer of the store to a batch.
package enum CommitOutcome: Hashable, Sendable {
    /// The batch is stored, now or by an earlier attempt.
    case kept
    /// Another node leads, or no node leads. Nothing was written.
    case fenced
    /// The store has lost batches. The value is the number of the last batch that it still has.
    case behind(UInt64)
    /// The store refuses writes at present; nothing was written.
    case refused
    /// It is not known whether the batch is stored.
    case unknown
}

/// An action that the owner of a ``LeaderMachine`` has to perform.
package enum LeaderEffect: Sendable {
    case commit(ClusterCommit)
    /// Pass a node's request to a service, whose answer goes to ``LeaderMachine/answer(_:number:_:)``.
    ///
    /// - Parameter isQuery: whether the answer goes to ``LeaderMachine/answerQuery(_:number:_:at:into:)`` instead.
    case handle(ClusterServiceID, ByteBuffer, from: ClusterNode, ClusterSession, number: UInt64, isQuery: Bool)
    /// Publish answers to a node's queries, if this process still leads.
    case answer(ClusterAnswers, to: ClusterNode)
    case announced([ClusterServiceID: [ByteBuffer]], by: ClusterNode)
    /// End the subscriptions and sessions of a node's clients, then call ``LeaderMachine/forget(_:)``.
    case left(ClusterNode)
    /// End a node's earlier subscriptions and sessions. The node has started again, and announces itself again.
    case lost(ClusterNode)
    /// The emission (a decision with its writes) with this id was stored (true), or will never be stored (false).
    case completed(UInt64, Bool)
    /// The leader resigns. The effect ``end`` follows.
    case resign(LeaderResignation)
    /// This node no longer leads.
    case end
}

/// The reason why a leader resigns.
package enum LeaderResignation: Hashable, Sendable {
    /// Data that was confirmed to clients is lost. The services of the next leader have to report that.
    case lost
    /// A decision of this many bytes is longer than the store accepts, so it is not stored.
    case tooLong(bytes: Int)
}
