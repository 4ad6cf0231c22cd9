import RealtimeHub
import Testing

@testable import LifelineServer

/// A queue that expectations can change.
private final class Queue {
    private var value = WebhookQueue()

    var dropped: Int { value.dropped }
    var delivered: Int { value.delivered }
    var isEmpty: Bool { value.isEmpty }
    var count: Int { value.count }

    func append(_ kind: WebhookEvent.Kind, _ user: String, _ name: String = "x") {
        value.append(WebhookEvent(kind: kind, user: user, body: Array(name.utf8)))
    }

    func begin(at now: HubInstant = .seconds(0)) -> [String]? {
        value.begin(at: now)?.events.map { String(decoding: $0.body, as: UTF8.self) }
    }

    var id: UInt64? { value.current?.id }

    func finish() { value.finish() }
    func fail(isFinal: Bool = false, at now: HubInstant) -> Duration? { value.fail(isFinal: isFinal, at: now) }
    func abandon() { value.abandon() }
}

@Suite("What webhooks have to tell (NV-41 to NV-44)")
struct WebhookQueueTests {
    @Test("Events of one kind go together, one batch at a time")
    func batches() {
        let queue = Queue()
        queue.append(.messageSend, "a", "1")
        #expect(queue.begin() == ["1"])
        queue.append(.messageSend, "a", "2")
        queue.append(.messageSend, "b", "3")
        #expect(queue.begin() == nil)
        queue.finish()
        #expect(queue.begin() == ["2", "3"])
        queue.finish()
        #expect(queue.isEmpty)
        #expect(queue.delivered == 3)
    }

    @Test("Nothing of a user overtakes something else of that user")
    func order() {
        let queue = Queue()
        queue.append(.connectionStatus, "a", "a on")
        queue.append(.messageSend, "a", "a says 1")
        queue.append(.connectionStatus, "b", "b on")
        queue.append(.connectionStatus, "a", "a off")
        queue.append(.messageSend, "b", "b says 1")
        #expect(queue.begin() == ["a on", "b on"])
        queue.finish()
        #expect(queue.begin() == ["a says 1", "b says 1"])
        queue.finish()
        #expect(queue.begin() == ["a off"])
    }

    @Test("A batch has a bounded length")
    func length() {
        let queue = Queue()
        for number in 0..<450 { queue.append(.messageSend, "a", "\(number)") }
        var lengths: [Int] = []
        while let batch = queue.begin() {
            lengths.append(batch.count)
            queue.finish()
        }
        #expect(lengths == [200, 200, 50])
    }

    @Test("Beyond its room the queue gives events up and counts them")
    func bounded() {
        let queue = Queue()
        for _ in 0..<(WebhookQueue.maximumEvents + 5) { queue.append(.messageSend, "a") }
        #expect(queue.dropped == 5)
        #expect(queue.count == WebhookQueue.maximumEvents)
        let large = Queue()
        let body = String(repeating: "x", count: 1 << 20)
        for _ in 0..<20 { large.append(.messageSend, "a", body) }
        #expect(large.dropped == 4)
        // What is under way makes room.
        #expect(large.begin()?.count == 1)
        large.append(.messageSend, "a", body)
        #expect(large.dropped == 4)
    }

    @Test("Attempts grow apart, keep their id, and end after five minutes")
    func patience() {
        let queue = Queue()
        queue.append(.messageSend, "a")
        #expect(queue.begin(at: .seconds(100)) != nil)
        let id = queue.id
        var now = HubInstant.seconds(100)
        var pauses: [Duration] = []
        while let pause = queue.fail(at: now) {
            pauses.append(pause)
            #expect(queue.id == id)
            now = now.advanced(by: pause)
            guard pauses.count < 100 else { break }
        }
        #expect(pauses.prefix(4) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
        #expect(pauses.max() == .seconds(32))
        #expect(now.since(.seconds(100)) <= WebhookQueue.patience)
        #expect(now.since(.seconds(100)) > WebhookQueue.patience - .seconds(33))
        #expect(queue.dropped == 1)
        #expect(queue.isEmpty)
    }

    @Test("A batch that is refused for good is given up at once, and the next one goes")
    func refused() {
        let queue = Queue()
        queue.append(.messageSend, "a", "1")
        _ = queue.begin()
        queue.append(.messageSend, "a", "2")
        #expect(queue.fail(isFinal: true, at: .seconds(0)) == nil)
        #expect(queue.dropped == 1)
        #expect(queue.begin() == ["2"])
        queue.abandon()
        #expect(queue.dropped == 2)
        #expect(queue.isEmpty)
    }
}
