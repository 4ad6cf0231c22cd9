import Dispatch
import Testing

@testable import NexconnChatSDK

/// What waits for slow handlers (rule NC-72).
@Suite struct HandlerBacklogTests {
    private let event = NCEvent.offlineMessageSyncCompleted

    /// `.` for an event, `!` for the one that says that others are missing.
    private func words(_ events: [NCEvent]) -> String {
        events.map { if case .messagesMissed = $0 { "!" } else { "." } }.joined()
    }

    @Test func `what does not fit is told once in its place, and room is used again`() {
        var backlog = HandlerBacklog(limit: 3)
        #expect(words(backlog.admit([event, event])) == "..")
        #expect(words(backlog.admit([event, event])) == ".!")
        #expect(words(backlog.admit([event])) == "")
        backlog.took(2)
        #expect(words(backlog.admit([event, event])) == ".!")
        backlog.took(4)
        #expect(words(backlog.admit([event, event, event, event])) == "...!")
    }

    @Test func `handlers that block are told that they have missed something`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        let handler = Counter()
        fixture.engine.registry.chat.messages.add("counter") { [weak handler] in handler }
        let gate = DispatchSemaphore(value: 0)
        fixture.engine.registry.run { gate.wait() }
        if let client = fixture.engine.client {
            for _ in 0..<HandlerBacklog.most + 7 { fixture.engine.registry.chat.tell([event], of: client) }
        }
        gate.signal()
        fixture.settle()
        #expect(handler.completed == HandlerBacklog.most)
        #expect(handler.missed == 1)
    }
}

/// Counts. Called on the callback queue, read after it has run dry.
private final class Counter: MessageHandler, @unchecked Sendable {
    // `@unchecked Sendable`: the test reads after ``EngineFixture/settle()``, which waits for the callback queue.
    var completed = 0
    var missed = 0

    func onOfflineMessageSyncCompleted() { completed += 1 }
    func onMessagesMissed(_ event: MessagesMissedEvent) { missed += 1 }
}
