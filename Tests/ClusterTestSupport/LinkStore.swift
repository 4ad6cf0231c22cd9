import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import RedisStoreEngine
import ServerCluster

/// Carries writes out over a link to Redis, one after the other.
package final class LinkStore: InProcessStore {
    private let link: RedisLink
    private let collections: RedisCollections

    package init(_ link: RedisLink) {
        self.link = link
        collections = RedisCollections(key: { StoreKey($0) }) { (command) async throws(RedisFailure) -> RedisValue in
            try await link.send(command, within: .seconds(30))
        }
    }

    package func write(_ writes: [StoreWrite], completion: @escaping @Sendable (Bool) -> Void) {
        let failed = NIOLockedValueBox(false)
        for write in writes {
            link.send(.command(RedisCommand(write)), within: .seconds(30)) { result in
                if case .failure = result { failed.withLockedValue { $0 = true } }
            }
        }
        link.send(.command(RedisCommand("PING")), within: .seconds(30)) { _ in completion(!failed.withLockedValue { $0 }) }
    }

    package func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer { try await collections.read(question) }

    package func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool {
        try await collections.create(value, as: key, seconds: seconds)
    }
}
