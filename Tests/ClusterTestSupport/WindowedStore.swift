import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import ServerCluster

/// Has a link carry out so many writes at the same time and no more, since a link takes no more.
package final class WindowedStore: InProcessStore {
    private struct State {
        var waiting: [(writes: [StoreWrite], completion: @Sendable (Bool) -> Void)] = []
        var next = 0
        var underway = 0
    }

    private static let window = 500
    private let store: LinkStore
    private let state = NIOLockedValueBox(State())

    package init(_ link: RedisLink) {
        store = LinkStore(link)
    }

    package func write(_ writes: [StoreWrite], completion: @escaping @Sendable (Bool) -> Void) {
        state.withLockedValue { state in
            state.waiting.append((writes, completion))
            pump(&state)
        }
    }

    package func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer { try await store.read(question) }

    package func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool {
        try await store.create(value, as: key, seconds: seconds)
    }

    private func pump(_ state: inout State) {
        while state.underway < Self.window, state.next < state.waiting.count {
            let item = state.waiting[state.next]
            state.next += 1
            state.underway += 1
            store.write(item.writes) { [self] isKept in
                item.completion(isKept)
                self.state.withLockedValue { state in
                    state.underway -= 1
                    pump(&state)
                }
            }
        }
    }
}
