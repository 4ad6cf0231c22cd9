import NIOConcurrencyHelpers
import NIOCore
import ServerCluster

/// What an in-process cluster keeps in memory, for tests that need no Redis.
package final class MemoryStore: InProcessStore {
    private let state = NIOLockedValueBox(MemoryCollections())

    package init() {}

    package var keys: [String] { state.withLockedValue(\.keys) }
    package var failures: Int { state.withLockedValue(\.failures) }

    /// Lets so many milliseconds pass.
    package func pass(milliseconds: Int64) { state.withLockedValue { $0.now += milliseconds } }

    package func write(_ writes: [StoreWrite], completion: @escaping @Sendable (Bool) -> Void) {
        state.withLockedValue { state in for write in writes { state.perform(write) } }
        completion(true)
    }

    package func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
        state.withLockedValue { $0.answer(question) }
    }

    package func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool {
        state.withLockedValue { state in
            guard case .nothing = state.answer(.value(key)) else { return false }
            state.perform(.setFor(milliseconds: Int64(seconds) * 1_000, key, .bytes(value)))
            return true
        }
    }
}
