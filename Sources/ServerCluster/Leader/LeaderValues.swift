import NIOCore
import ServerValues

/// The limits of a leader for nodes and the log.
package struct LeaderPolicy: Hashable, Sendable {
    /// The time without a heartbeat after which a node is removed.
    package var nodeTimeout: Duration = .seconds(10)
    /// The largest silence that counts against the node of the previous leader when the next leader starts: the node may have been
    /// disconnected for as long as the store was, and needs some seconds to announce itself.
    package var longestSilence: Duration = .seconds(6)
    /// If the leader has heard nothing from its own node for this time, the silence of other nodes is ignored, because messages do
    /// not pass through the store. Two heartbeats.
    package var hearing: Duration = .seconds(4)
    /// The number of bytes at which a batch ends, if it may be divided there.
    package var batchBytes = 1_048_576
    /// The largest number of bytes of one batch: emissions that should be in one batch and exceed it are divided.
    package var joinedBytes = 8_388_608
    /// The largest length of a fact, answer or write in bytes. Exceeding it ends the leadership, because the store would never accept
    /// it.
    package var longestCommand = 50_331_648
    /// The bytes of the latest batches that are kept in memory, to be appended again if the store loses them.
    package var keptBytes = 33_554_432
    /// How long batches stay in the log: a node may be disconnected for this time without missing any.
    package var logTime: Duration = .seconds(120)
    /// The largest number of batches in the log.
    package var logLength = 50_000
    /// The largest number of bytes of the batches in the log.
    package var logBytes = 67_108_864
    /// How long to wait before a batch that the store refused is sent again.
    package var refusal: Duration = .milliseconds(250)
    /// The number of bytes of one piece of an answer to a query.
    package var pieceBytes = 65_536
    /// The largest number of unconfirmed bytes of answers to one node's queries.
    package var answerWindow = 524_288
    /// The largest number of bytes of answers to queries that wait for one node. An answer that exceeds this fails.
    package var answerBytes = 67_108_864
    /// The time without a confirmation after which answers to queries are sent again.
    package var answerRetry: Duration = .seconds(1)
    /// The largest number of nodes at the same time.
    package var nodes = 60

    package init() {}
}

/// An emission of a leader's service, to be stored and published.
package struct ClusterEmission: Sendable {
    package var item: ClusterItem?
    package var writes: [StoreWrite]
    /// The owner's id of the emission; nil when no caller waits for it.
    package var id: UInt64?
    /// Whether it must be in the same batch as the preceding emission.
    package var isJoined: Bool
    /// Whether this part completes the emission.
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

    /// Splits the emission into several with the same total effect, each of at most `limit` bytes unless a single write is larger.
    /// The facts for nodes come with the last one.
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
    /// The encoded batch: encoded once, for the store and for the leader's memory.
    package let bytes: ByteBuffer
    package let writes: [StoreWrite]
    /// The position before which batches may be deleted; nil for none.
    package let trim: ClusterPosition?

    package init(batch: ClusterBatch, writes: [StoreWrite], trim: ClusterPosition? = nil) {
        self.init(batch: batch, bytes: batch.encoded(), writes: writes, trim: trim)
    }

    /// - Parameter bytes: the encoded batch.
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
    /// Another node leads, or none: nothing was written.
    case fenced
    /// The store has lost batches: this is the number of its last one.
    case behind(UInt64)
    /// The store refuses writes at present; nothing was written.
    case refused
    /// It is not known whether the batch is stored.
    case unknown
}

/// An effect that the owner of a leader performs.
package enum LeaderEffect: Sendable {
    case commit(ClusterCommit)
    /// Pass a node's request to a service; its answer goes to ``LeaderMachine/answer(_:number:_:)``.
    ///
    /// - Parameter isQuery: whether the answer goes to ``LeaderMachine/answerQuery(_:number:_:at:into:)`` instead.
    case handle(ClusterServiceID, ByteBuffer, from: ClusterNode, ClusterSession, number: UInt64, isQuery: Bool)
    /// Publish answers to a node's queries, if this process still leads.
    case answer(ClusterAnswers, to: ClusterNode)
    case announced([ClusterServiceID: [ByteBuffer]], by: ClusterNode)
    /// End the subscriptions and sessions of a node's clients, then call ``LeaderMachine/forget(_:)``.
    case left(ClusterNode)
    /// End a node's subscriptions and sessions. The node comes back and announces itself again.
    case lost(ClusterNode)
    /// An emission was stored, or never will be.
    case completed(UInt64, Bool)
    /// The leader resigns. The effect ``end`` follows.
    case resign(LeaderResignation)
    /// This node no longer leads.
    case end
}

/// Why a leader resigns.
package enum LeaderResignation: Hashable, Sendable {
    /// Confirmed data is lost: the services of the next leader have to report it.
    case lost
    /// A decision has this many bytes, more than the store accepts at once: it is not stored.
    case tooLong(bytes: Int)
}
