import NIOCore
import RedisClient
import ServerCluster

/// Reads and writes the values, maps, sets and streams of a cluster with Redis commands.
package struct RedisCollections: ClusterStore {
    package typealias Send = @Sendable (RedisCommand) async throws(RedisFailure) -> RedisValue

    private let fullKey: @Sendable (String) -> StoreKey
    private let send: Send

    /// - Parameters:
    ///   - key: makes the full name of a key.
    ///   - send: performs a command on Redis.
    package init(key: @escaping @Sendable (String) -> StoreKey, send: @escaping Send) {
        fullKey = key
        self.send = send
    }

    package func key(_ name: String) -> StoreKey { fullKey(name) }

    package func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
        try question.answer(try await ask(RedisCommand(question)))
    }

    package func perform(_ write: StoreWrite) async throws(StoreFailure) { _ = try await ask(RedisCommand(write)) }

    package func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool {
        let command = RedisCommand(
            "SET", RedisArgument(key), .bytes(value), "NX", "EX", .integer(Int64(clamping: seconds)))
        return try await ask(command) != .null
    }

    private func ask(_ command: RedisCommand) async throws(StoreFailure) -> RedisValue {
        do throws(RedisFailure) {
            return try await send(command)
        } catch {
            throw StoreFailure(error)
        }
    }
}
