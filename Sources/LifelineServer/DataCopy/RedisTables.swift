import ChatServer
import HubStorage
import NIOCore
import PubNubServer
import RedisClient
import RedisStoreEngine
import ServerCluster
import ServerStorage

/// The durable data that a cluster stores in Redis, as tables (rules DC-12 to DC-17).
///
/// Redis returns rows and keys in no order, so each reading goes through a temporary file that sorts the rows.
package final class RedisTables: StoredTables {
    package let parts: Set<StoredPart>
    /// How many chat events the last reading left out, because another application has an event with the same id.
    package private(set) var leftOut = 0
    private let cluster: StoppedCluster
    private var spool: RowSpool?

    /// Finds the data of a cluster. Rows are read later, by ``load(_:)``.
    ///
    /// - Parameters:
    ///   - redis: all Redis servers of the cluster. The number of partitions is read from Redis.
    ///   - staysBeside: whether the servers will use this Redis together with the target. If so, applications made at run time stay in
    ///     Redis and are not among the tables.
    /// - Throws: `RedisCopyError`.
    package static func open(_ redis: RedisConfiguration, staysBeside: Bool) async throws -> RedisTables {
        let cluster = try await StoppedCluster.open(redis)
        do {
            var parts: Set<StoredPart> = [.messages, .chat]
            if !staysBeside, try await RedisApplicationRows(cluster.first).exists() { parts.insert(.applications) }
            return RedisTables(cluster, parts)
        } catch {
            cluster.close()
            throw error
        }
    }

    private init(_ cluster: StoppedCluster, _ parts: Set<StoredPart>) {
        self.cluster = cluster
        self.parts = parts
    }

    // MARK: Reading Redis

    /// Reads all rows from Redis, also if they were read before.
    ///
    /// - Parameter report: called with the number of rows that were read, from any thread.
    /// - Throws: `RedisCopyError`, or `MessageStoreError` about the temporary file.
    package func load(_ report: @escaping @Sendable (Int) -> Void = { _ in }) async throws {
        spool?.close()
        self.spool = nil
        let spool = try RowSpool(parts: parts, report: report)
        leftOut = 0
        for partition in cluster.partitions {
            leftOut += try await Self.reading(partition) {
                try await RedisMessageStore(output: NoOutput(), reader: partition, now: { 0 }).copy(to: spool)
                return try await RedisChatStore(output: NoOutput(), reader: partition, now: { 0 }).copy(to: spool)
            }
        }
        if parts.contains(.applications) { try await RedisApplicationRows(cluster.first).copy(to: spool) }
        self.spool = spool
    }

    /// Counts the uploaded files, and writes their contents into a directory.
    ///
    /// - Parameters:
    ///   - directory: nil to count the files only.
    ///   - report: called with the number of files that were found.
    /// - Returns: the number of files, and the number of files whose contents are in the directory.
    package func copyFiles(
        to directory: String?, _ report: (Int) -> Void = { _ in }
    ) async throws -> (files: Int, contents: Int) {
        var counts = (files: 0, contents: 0)
        for partition in cluster.partitions {
            let found = try await Self.reading(partition) {
                try await RedisMessageStore(output: NoOutput(), reader: partition, now: { 0 })
                    .copyFiles(to: directory) { report(counts.files + $0) }
            }
            counts = (counts.files + found.files, counts.contents + found.contents)
        }
        return counts
    }

    private static func reading<Value>(
        _ partition: StoppedCluster.Reader, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let failure as StoreFailure {
            throw RedisCopyError(failure, at: partition.address)
        } catch is ClusterCodingError {
            throw RedisCopyError.damaged(address: partition.address)
        } catch is CopiedFileProblem {
            throw RedisCopyError.filesNotWritten
        } catch is RedisChatStore.Problem {
            throw RedisCopyError.damaged(address: partition.address)
        }
    }

    // MARK: The cluster

    /// Checks that no server of the cluster has run.
    ///
    /// - Throws: ``RedisCopyError/started`` if a server has run since the tables were opened.
    package func checkRest() async throws(RedisCopyError) { try await cluster.checkRest() }

    /// Changes the stored layout of the cluster: servers with a database beside Redis can start, and others cannot.
    package func setBesideDatabase() async throws(RedisCopyError) { try await cluster.setBesideDatabase() }

    package func close() {
        spool?.close()
        spool = nil
        cluster.close()
    }

    // MARK: Rows

    private func loaded() throws -> RowSpool {
        guard let spool else { throw MessageStoreError.closed }
        return spool
    }

    package func count(_ table: StoredTable) throws -> Int { try loaded().count(table) }

    package func read<Value>(
        _ table: StoredTable, _ body: (_ next: @escaping () throws -> StoredRow?) throws -> Value
    ) throws -> Value {
        try loaded().read(table, body)
    }
}

/// Throws for all writes, because a copy only reads from the cluster.
private final class NoOutput: ClusterOutput {
    func emit(
        _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
        completion: (@Sendable (Bool) -> Void)?
    ) {
        completion?(false)
    }
}

/// The applications that were made at run time. They are stored in the Redis of the first partition.
private struct RedisApplicationRows {
    private let reader: StoppedCluster.Reader
    private var key: RedisArgument { reader.keys.key(RedisApplicationStore.name) }

    init(_ reader: StoppedCluster.Reader) { self.reader = reader }

    func exists() async throws(RedisCopyError) -> Bool {
        let key = key
        return try await reader.asking { ask throws(RedisFailure) in try await ask(RedisCommand("EXISTS", key)).number ?? 0 > 0 }
    }

    func copy(to sink: some RowSink) async throws {
        let key = key
        let answer = try await reader.asking { ask throws(RedisFailure) in try await ask(RedisCommand("HGETALL", key)) }
        guard case .map(let pairs) = answer else { throw RedisCopyError.damaged(address: reader.address) }
        for pair in pairs {
            guard let name = pair.key.text, let value = pair.value.bytes else {
                throw RedisCopyError.damaged(address: reader.address)
            }
            if name == RedisApplicationStore.number {
                try sink.put([.integer(1), .integer(pair.value.number ?? 0)], into: StoredTable.OfApplications.change)
            } else {
                try sink.put(
                    [.text(name), .bytes(Array(value.readableBytesView))], into: StoredTable.OfApplications.application)
            }
        }
    }
}
