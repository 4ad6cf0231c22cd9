import HTTPTransport
import NIOConcurrencyHelpers
import Testing

@testable import LifelineTesting

/// Which tasks of clients `settle()` waits for (rule LT-40).
struct WaitingTaskTests {
    private let service = TestService()
    /// A subscribe request of PubNub that the service holds until there is a message.
    private let poll = HTTPCall(url: "http://localhost/v2/subscribe/demo/a/0?tt=17000000000000000&uuid=ann")

    @Test func `LT-40: a request that is made on a task's thread is not the task's own wait`() async throws {
        let (isAtWork, isDone) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let isQuiet = NIOLockedValueBox(false)
        let core = service.core
        let task = core.work.start { [poll] in
            // As an engine does, whose input the task happens to handle.
            _ = core.send(poll, timeout: .seconds(300)) { _ in }
            isAtWork.continuation.yield()
            for await _ in isDone.stream { break }
        }
        for await _ in isAtWork.stream { break }
        #expect(core.read { $0.requests.count } == 1, "the poll is held")
        core.work.whenTasksWait { isQuiet.withLockedValue { $0 = true } }
        #expect(!isQuiet.withLockedValue { $0 })
        isDone.continuation.yield()
        await task.value
        #expect(isQuiet.withLockedValue { $0 })
    }

    @Test func `LT-40: a task that waits for an answer of the service is not waited for`() async throws {
        let core = service.core
        let double = TestDouble(core: core)
        let task = core.work.start { [poll] in
            _ = try? await double.send(poll, timeout: .seconds(300))
        }
        await withCheckedContinuation { continuation in core.work.whenTasksWait { continuation.resume() } }
        #expect(core.read { $0.requests.count } == 1, "the poll is held")
        task.cancel()
        await task.value
        #expect(core.read { $0.requests.isEmpty })
    }
}
