import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// Rule NH-30.
@Suite(.timeLimit(.minutes(2))) struct PagedQueryTests {
    private typealias Loaded = Completion<(page: PageData<Int>, next: Int?)>

    private let engine = ChatEngine(assembly: .live)

    @Test func `pages come one after the other, and then empty ones`() async throws {
        let query = PagedQuery(engine, cutting: 2) { $0(.success([1, 2, 3])) }
        #expect(try await query.nextPage().data == [1, 2])
        #expect(!query.isAtEnd)
        #expect(try await query.nextPage().data == [3])
        #expect(try await query.nextPage().data.isEmpty && query.isAtEnd)
        #expect(try await query.nextPage().data.isEmpty)
    }

    @Test func `while a page is loaded another one is refused with 33103, and the first one comes`() async throws {
        let pending = NIOLockedValueBox<Loaded?>(nil)
        let query = PagedQuery(engine) { (_: Int?, completion: @escaping Loaded) in
            pending.withLockedValue { $0 = completion }
        }
        let first = NIOLockedValueBox<[Int]>([])
        query.loadNextPage { page, _ in first.withLockedValue { $0 = page?.data ?? [] } }
        #expect(query.isLoading)
        let second: (PageData<Int>?, NCError?) = await completion { query.loadNextPage(completion: $0) }
        #expect(second.0 == nil && second.1?.code == 33103 && query.isLoading)
        pending.withLockedValue { $0 }?(.success((PageData([7]), 1)))
        await withCheckedContinuation { continuation in engine.registry.run { continuation.resume() } }
        #expect(first.withLockedValue { $0 } == [7] && !query.isLoading && !query.isAtEnd)
    }

    @Test func `after an error the same page can be loaded again`() async throws {
        let cursors = NIOLockedValueBox<[Int?]>([])
        let query = PagedQuery(engine) { (cursor: Int?, completion: @escaping Loaded) in
            let count = cursors.withLockedValue { cursors in
                cursors.append(cursor)
                return cursors.count
            }
            completion(count == 2 ? .failure(NCError(code: 30002)) : .success((PageData([count]), count)))
        }
        #expect(try await query.nextPage().data == [1])
        await #expect(throws: NCError.self) { try await query.nextPage() }
        #expect(try await query.nextPage().data == [3])
        #expect(cursors.withLockedValue { $0 } == [nil, 1, 1])
    }
}
