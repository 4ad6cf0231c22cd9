import NIOCore
import RedisClient

/// Decides for one service while its node is the leader: the only place where the shared state of the service changes.
///
/// Called on the event loop of the node's bus, one call after the other. Must not block.
package protocol ClusterLeader: AnyObject, Sendable {
    /// Carries out a request of a node, the leader's own included.
    ///
    /// - Parameter reply: to be called once, from any thread. An answer that is given before this returns is kept together with what was
    ///   emitted, as a whole or not at all.
    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void)

    /// A node has come, or has come back to a new leader, and announces what its clients hold. What the leader knows of the node from its
    /// predecessor and is not in the announcement has ended.
    ///
    /// - Parameter requests: as ``ClusterMember/announcement()`` gave them. Answers to them are of no use and are not sent.
    func announced(_ requests: [ByteBuffer], by node: ClusterNode)

    /// A node is gone: what its clients held ends.
    func left(_ node: ClusterNode)

    /// The nodes whose clients have state according to what was restored. Nodes that do not announce themselves in time are reported by
    /// ``left(_:)``, also when they are in no list of nodes any more: they may have ended under a leader that did not have their state.
    var restoredNodes: [ClusterNode] { get }

    /// This leader is about to resign: begins nothing outside of the cluster that the next leader would have to do again, and waits for a moment
    /// for what it has begun. Requests are still handed to it.
    func prepareToResign() async

    /// Ends without emitting anything: another node leads now, or this one leaves.
    func close() async
}

extension ClusterLeader {
    package func prepareToResign() async {}

    package var restoredNodes: [ClusterNode] { [] }
}

/// Makes the leader's part of a service.
///
/// Called when the node becomes the leader. Restores what the services of the last leader kept in Redis, the holdings of nodes included:
/// nodes of which it knows and that do not announce themselves in time are reported by ``ClusterLeader/left(_:)``.
package protocol ClusterLeaderFactory: AnyObject, Sendable {
    func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader
}

/// The parts of the cluster that a service's leader part uses.
package struct ClusterLeaderContext: Sendable {
    /// Where decisions go.
    package let output: any ClusterOutput
    /// Reads the stored state.
    package let store: any ClusterReader
    /// Reads what the leaders before have decided, as far as it is still there.
    package let log: any ClusterLog
    /// Distinguishes this leader from all before.
    package let generation: UInt64
    /// The leader before that has kept anything; nil when there was none, or when it is not known.
    package let former: UInt64?
    /// Whether Redis has lost what was confirmed: places that clients have are not to be trusted, and numbers that were given out since are
    /// not known.
    package let hasLost: Bool
    /// The loop on which the leader's services are called.
    package let eventLoop: any EventLoop

    package init(
        output: any ClusterOutput, store: any ClusterReader, log: any ClusterLog = EmptyClusterLog(), generation: UInt64,
        former: UInt64? = nil, hasLost: Bool = false, eventLoop: any EventLoop
    ) {
        self.log = log
        self.output = output
        self.store = store
        self.generation = generation
        self.former = former
        self.hasLost = hasLost
        self.eventLoop = eventLoop
    }
}

/// What leaders have decided, as far as the log still has it. May be used from any thread.
package protocol ClusterLog: Sendable {
    /// Reads the facts of a service, oldest first, whomever they were for. What is behind something that cannot be read is left out.
    func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(RedisFailure)
}

/// A log without anything in it.
package struct EmptyClusterLog: ClusterLog {
    package init() {}

    package func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(RedisFailure) {}
}

/// Where a leader's services put what they have decided. May be used from any thread, under locks of the caller: only queues.
///
/// Everything is written to Redis in the order of the calls, in batches. A batch is kept and told to the nodes as a whole or not at all, and
/// not at all once another node leads.
package protocol ClusterOutput: AnyObject, Sendable {
    /// Publishes a fact to nodes, and lets Redis perform writes with it.
    ///
    /// - Parameters:
    ///   - fact: nil when there are only writes.
    ///   - writes: commands that change keys of ``ClusterReader/key(_:)``; none may fail for what is stored there. They must not read.
    ///   - completion: called once, on the bus's event loop, before the nodes are told; false when it was not kept, after which the leader
    ///     closes.
    func emit(
        _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [RedisCommand],
        completion: (@Sendable (Bool) -> Void)?)
}

extension ClusterOutput {
    package func emit(_ fact: ByteBuffer, of service: ClusterServiceID, to audience: ClusterAudience = .all) {
        emit(fact, of: service, to: audience, writes: [], completion: nil)
    }

    package func write(
        _ writes: [RedisCommand], of service: ClusterServiceID, completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        emit(nil, of: service, to: .all, writes: writes, completion: completion)
    }
}

/// Reads what a cluster keeps in Redis. May be used from any thread.
package protocol ClusterReader: Sendable {
    /// The whole name of a key: all keys of a cluster have one prefix with one hash tag.
    ///
    /// - Parameter name: begins with the name of the service, such as `pubnub:groups`.
    func key(_ name: String) -> RedisArgument
    /// Carries out a command that only reads.
    func read(_ command: RedisCommand) async throws(RedisFailure) -> RedisValue
}

extension ClusterReader {
    /// Reads all entries of a hash, some at a time, so that no answer is long. An entry may come twice, as Redis says of scans.
    ///
    /// - Parameters:
    ///   - page: about how many entries an answer has.
    ///   - body: gets a field and its value.
    package func entries(
        of key: RedisArgument, page: Int = 1_000, _ body: (ByteBuffer, ByteBuffer) -> Void
    ) async throws(RedisFailure) {
        var cursor = "0"
        repeat {
            let answer = try await read(RedisCommand("HSCAN", key, .text(cursor), "COUNT", .integer(Int64(page)))).elements ?? []
            guard answer.count == 2, let next = answer[0].text, let words = answer[1].elements else { break }
            for index in stride(from: 0, to: words.count - 1, by: 2) {
                // in bounds: the stride ends before the last element.
                if let field = words[index].bytes, let value = words[index + 1].bytes { body(field, value) }
            }
            cursor = next
        } while cursor != "0"
    }
}

/// Keeps what no leader decides about: values below names that are given out once. Used by any node.
package protocol ClusterStore: ClusterReader {
    /// Carries out a command on one key. Whether it was carried out is not known for ``RedisFailure/unanswered`` and
    /// ``RedisFailure/lost(_:)``.
    func perform(_ command: RedisCommand) async throws(RedisFailure) -> RedisValue
}
