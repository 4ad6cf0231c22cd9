import ServerValues
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// A queue that expectations can change.
private final class Queue {
    private var value: WebhookQueue

    init(_ policy: WebhookPolicy = ChatWebhooks.policy) {
        value = WebhookQueue(policy: policy)
    }

    var dropped: Int { value.dropped }
    var delivered: Int { value.delivered }
    var failedRequests: Int { value.failedRequests }
    var isEmpty: Bool { value.isEmpty }
    var count: Int { value.count }

    func append(_ key: String, _ name: String = "x", topic: String = "", at now: MonotonicInstant = .seconds(0)) {
        value.append(WebhookEvent(topic: topic, key: key, body: Array(name.utf8)), at: now)
    }

    func step(at now: MonotonicInstant = .seconds(0)) -> WebhookQueue.Step { value.next(at: now) }

    func batch(at now: MonotonicInstant = .seconds(0)) -> WebhookBatch? {
        guard case .send(let batch) = value.next(at: now) else { return nil }
        return batch
    }

    func begin(at now: MonotonicInstant = .seconds(0)) -> [String]? { batch(at: now)?.names }

    /// Ends the batch that was begun first.
    func finish() { value.underWay.first.map { value.finish($0.id) } }
    func finish(_ id: UInt64) { value.finish(id) }

    @discardableResult
    func fail(_ id: UInt64, isFinal: Bool = false, at now: MonotonicInstant, chance: Double = 0) -> Int {
        value.fail(id, isFinal: isFinal, at: now, chance: chance)
    }

    func hurry() { value.hurry() }
    func abandon() { value.abandon() }
}

extension WebhookBatch {
    fileprivate var names: [String] { events.map { String(decoding: $0.body, as: UTF8.self) } }
}

private let oneByOne = WebhookPolicy(batchLength: 1, batchBytes: 1, requests: 4)

@Suite("What a receiver has to be told (SW-20 to SW-25, NV-41 to NV-44)")
struct WebhookQueueTests {
    @Test("Events of one topic go together, as many requests at a time as may be")
    func batches() {
        let queue = Queue()
        queue.append("a", "1")
        #expect(queue.begin() == ["1"])
        queue.append("a", "2")
        queue.append("b", "3")
        #expect(queue.step() == .rest)
        queue.finish()
        #expect(queue.begin() == ["2", "3"])
        queue.finish()
        #expect(queue.isEmpty)
        #expect(queue.delivered == 3)
    }

    @Test("Nothing of a key overtakes something else of that key, topics or not")
    func topics() {
        let queue = Queue()
        queue.append("a", "a on", topic: "status")
        queue.append("a", "a says 1", topic: "message")
        queue.append("b", "b on", topic: "status")
        queue.append("a", "a off", topic: "status")
        queue.append("b", "b says 1", topic: "message")
        #expect(queue.begin() == ["a on", "b on"])
        queue.finish()
        #expect(queue.begin() == ["a says 1", "b says 1"])
        queue.finish()
        #expect(queue.begin() == ["a off"])
    }

    @Test("SW-24, NV-44: One user's events take a share of the room only, in number and in bytes")
    func shares() {
        let queue = Queue(
            WebhookPolicy(maximumEvents: 40, maximumBytes: 400, shares: 10, batchLength: 200, batchBytes: 1 << 20, requests: 1))
        for number in 1...9 { queue.append("busy", "\(number)") }
        #expect(queue.count == 4)
        #expect(queue.dropped == 5)
        queue.append("quiet", "q")
        queue.append("large", String(repeating: "x", count: 100))
        queue.append("large", "y")
        queue.append("long", String(repeating: "x", count: 30))
        queue.append("long", String(repeating: "x", count: 11))
        #expect(queue.count == 7)
        #expect(queue.begin()?.count == 7)
        queue.append("busy", "10")
        queue.append("large", "z")
        #expect(queue.count == 9, "What is under way has left its room")
        queue.finish()
        #expect(queue.begin() == ["10", "z"])
    }

    @Test("A key's events go one after the other while those of others go at the same time")
    func lanes() throws {
        let queue = Queue(oneByOne)
        for number in 1...3 { queue.append("a", "a\(number)") }
        for key in ["b", "c", "d", "e"] { queue.append(key, key) }
        let first = try #require(queue.batch())
        #expect(first.names == ["a1"])
        #expect([queue.begin(), queue.begin(), queue.begin()] == [["b"], ["c"], ["d"]])
        // Four are under way.
        #expect(queue.step() == .rest)
        queue.finish(first.id)
        #expect(queue.begin() == ["e"])
        #expect(queue.step() == .rest)
        queue.finish()
        #expect(queue.begin() == ["a2"])
    }

    @Test("A batch has a bounded length and size, and keeps the order of what happened")
    func bounds() {
        let queue = Queue()
        for number in 0..<450 { queue.append(number.isMultiple(of: 2) ? "a" : "b", "\(number)") }
        var batches: [[String]] = []
        while let batch = queue.begin() {
            batches.append(batch)
            queue.finish()
        }
        #expect(batches.map(\.count) == [200, 200, 50])
        for key in 0...1 {
            let own = batches.joined().compactMap { Int($0) }.filter { $0 % 2 == key }
            #expect(own == own.sorted())
        }
        #expect(batches.allSatisfy { $0.compactMap { Int($0) } == $0.compactMap { Int($0) }.sorted() })
        let large = Queue(WebhookPolicy(batchLength: 100, batchBytes: 10, requests: 1))
        for _ in 0..<4 { large.append("a", "123456") }
        #expect(large.begin()?.count == 2)
    }

    @Test("A batch waits for company as long as its window, unless it is full")
    func window() {
        let queue = Queue(WebhookPolicy(batchLength: 3, batchBytes: 100, window: .seconds(2), requests: 2))
        queue.append("a", "1", at: .seconds(10))
        #expect(queue.step(at: .seconds(10)) == .wait(.seconds(12)))
        queue.append("b", "2", at: .seconds(11))
        #expect(queue.step(at: .seconds(11)) == .wait(.seconds(12)))
        #expect(queue.begin(at: .seconds(12)) == ["1", "2"])
        queue.append("c", "3", at: .seconds(13))
        queue.append("d", "4", at: .seconds(13))
        #expect(queue.step(at: .seconds(13)) == .wait(.seconds(15)))
        queue.append("e", "5", at: .seconds(13))
        #expect(queue.begin(at: .seconds(13)) == ["3", "4", "5"])
    }

    // Proof of SW-24.
    @Test("Beyond its room the queue gives events up and counts them")
    func room() {
        let queue = Queue()
        // Of one user's events there may be a tenth, so they are of twenty users.
        for number in 0..<(maximum + 5) { queue.append("\(number % 20)") }
        #expect(queue.dropped == 5)
        #expect(queue.count == maximum)
        let large = Queue()
        let body = String(repeating: "x", count: 1 << 20)
        for number in 0..<20 { large.append("\(number)", body) }
        #expect(large.dropped == 4)
        // What is under way makes room.
        #expect(large.begin()?.count == 1)
        large.append("20", body)
        #expect(large.dropped == 4)
    }

    private var maximum: Int { ChatWebhooks.policy.maximumEvents }

    // Proof of SW-23.
    @Test("Attempts grow apart, keep their id, and end after five minutes")
    func patience() throws {
        let queue = Queue()
        queue.append("a", at: .seconds(100))
        let id = try #require(queue.batch(at: .seconds(100))?.id)
        var now = MonotonicInstant.seconds(100)
        var pauses: [Duration] = []
        while queue.fail(id, at: now) == 0, pauses.count < 100 {
            guard case .wait(let next) = queue.step(at: now) else { break }
            pauses.append(next.since(now))
            now = next
            #expect(queue.batch(at: now)?.id == id)
        }
        #expect(pauses.prefix(4) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
        #expect(pauses.max() == .seconds(32))
        #expect(now.since(.seconds(100)) <= .seconds(300))
        #expect(now.since(.seconds(100)) > .seconds(300 - 33))
        #expect(queue.dropped == 1)
        #expect(queue.failedRequests == pauses.count + 1)
        #expect(queue.isEmpty)
    }

    @Test("Chance takes up to half of a pause away", arguments: [(0.0, 32_000), (0.5, 24_000), (1.0, 16_000), (7.0, 16_000)])
    func jitter(chance: Double, milliseconds: Int) {
        #expect(WebhookPolicy.pause(failures: 90, chance: chance) == .milliseconds(milliseconds))
    }

    @Test("While a receiver fails nothing new is tried sooner than it gets a rest; one success ends that")
    func rest() throws {
        let queue = Queue(oneByOne)
        queue.append("a")
        queue.append("b")
        let a = try #require(queue.batch())
        let b = try #require(queue.batch())
        queue.append("c")
        queue.fail(a.id, at: .seconds(0))
        #expect(queue.step() == .wait(MonotonicInstant(nanoseconds: 500_000_000)))
        queue.fail(b.id, at: .seconds(0))
        // Both failed once, the receiver twice.
        #expect(queue.batch(at: .seconds(1))?.id == a.id)
        #expect(queue.batch(at: .seconds(1))?.id == b.id)
        #expect(queue.begin(at: .seconds(1)) == ["x"])
        queue.append("d")
        queue.fail(a.id, at: .seconds(1))
        #expect(queue.batch(at: .seconds(1)) == nil)
        queue.finish(b.id)
        #expect(queue.batch(at: .seconds(1))?.events.first?.key == "d")
    }

    /// Lets time pass, and a receiver refuse what is bad.
    ///
    /// - Returns: what was sent, with its time in seconds.
    private func run(_ queue: Queue, for seconds: Int64, isBad: (String) -> Bool) -> [(name: String, at: Double)] {
        var sent: [(name: String, at: Double)] = []
        var now = MonotonicInstant.seconds(0)
        var underWay: [WebhookBatch] = []
        while now <= .seconds(seconds) {
            switch queue.step(at: now) {
            case .send(let batch):
                underWay.append(batch)
                sent += batch.names.map { ($0, Double(now.nanoseconds) / 1e9) }
            case .wait(let next) where underWay.isEmpty: now = next
            case .rest where underWay.isEmpty: return sent
            // All that may be is under way: the receiver answers, in the order of the requests.
            case .wait, .rest:
                for batch in underWay {
                    if batch.names.contains(where: isBad) {
                        queue.fail(batch.id, at: now)
                    } else {
                        queue.finish(batch.id)
                    }
                }
                underWay = []
            }
        }
        return sent
    }

    @Test("Some events that a receiver refuses for ever hold up nothing but their own channels")
    func poison() {
        let queue = Queue(WebhookPolicy(batchLength: 1, batchBytes: 1, requests: 4, postponed: 100))
        // As many as requests may be under way, so that the receiver seems to be down.
        for number in 0..<4 {
            queue.append("bad \(number)", "bad \(number)")
            queue.append("bad \(number)", "behind bad \(number)")
        }
        for number in 0..<50 { queue.append("good \(number % 5)", "good \(number)") }
        let sent = run(queue, for: 280) { $0.hasPrefix("bad") }
        let good = sent.filter { $0.name.hasPrefix("good") }
        #expect(good.count == 50)
        let names = Set(good.map { $0.name })
        #expect(names.count == 50)
        #expect(good.allSatisfy { $0.at <= 33 })
        for channel in 0..<5 {
            let own = good.compactMap { Int($0.name.dropFirst(5)) }.filter { $0 % 5 == channel }
            #expect(own == own.sorted())
        }
        #expect(!sent.contains { $0.name.hasPrefix("behind") })
        let attempts = sent.filter { $0.name == "bad 0" }
        #expect(attempts.count > 5)
    }

    @Test("A receiver that is down is asked ever less, however much there is to tell")
    func down() {
        let queue = Queue(WebhookPolicy(batchLength: 1, batchBytes: 1, requests: 4, postponed: 100))
        for number in 0..<1_000 { queue.append("\(number)", "\(number)") }
        let sent = run(queue, for: 299) { _ in true }
        // Something new every half a minute, and each again ever less often.
        let names = Set(sent.map { $0.name })
        #expect(names.count <= 14)
        let late = sent.filter { $0.at > 150 }
        #expect(late.count < 100)
    }

    // Proof of SW-20, SW-21.
    @Test("More than so many take the place of others after all, so that their number has an end")
    func postponed() {
        let queue = Queue(WebhookPolicy(batchLength: 1, batchBytes: 1, requests: 1, postponed: 2))
        for key in ["a", "b", "c", "d", "e"] { queue.append(key, key) }
        let sent = run(queue, for: 280) { _ in true }
        let names = Set(sent.map { $0.name })
        #expect(names == ["a", "b", "c"])
    }

    @Test("What is old is tried once more and then given up")
    func old() throws {
        let queue = Queue()
        queue.append("a", "1", at: .seconds(0))
        queue.append("a", "2", at: .seconds(590))
        let batch = try #require(queue.batch(at: .seconds(600)))
        // The age of the youngest counts.
        #expect(batch.names == ["1", "2"])
        #expect(queue.fail(batch.id, at: .seconds(600)) == 0)
        queue.finish(batch.id)
        queue.append("a", "3", at: .seconds(600))
        let late = try #require(queue.batch(at: .seconds(1000)))
        #expect(queue.fail(late.id, at: .seconds(1000)) == 1)
    }

    @Test("A batch that is refused for good is given up at once, and the next one goes")
    func refused() throws {
        let queue = Queue()
        queue.append("a", "1")
        let batch = try #require(queue.batch())
        queue.append("a", "2")
        #expect(queue.fail(batch.id, isFinal: true, at: .seconds(0)) == 1)
        #expect(queue.dropped == 1)
        #expect(queue.begin() == ["2"])
        queue.abandon()
        #expect(queue.dropped == 2)
        #expect(queue.isEmpty)
        #expect(queue.step() == .rest)
    }

    /// A queue of events that are kept by their numbers.
    private func kept(_ range: ClosedRange<UInt64>, _ policy: WebhookPolicy = ChatWebhooks.policy) -> WebhookQueue {
        var queue = WebhookQueue(policy: policy)
        for number in range {
            queue.append(WebhookEvent(topic: "", key: "\(number)", body: [120], number: number), at: .seconds(0))
        }
        return queue
    }

    @Test func `CR-43: events that have arrived or were given up need not be kept any more, each is named once`() throws {
        var queue = kept(1...6, WebhookPolicy(maximumEvents: 5, batchLength: 2, batchBytes: 9, requests: 4))
        #expect(queue.takeEnded() == [6])
        guard case .send(let first) = queue.next(at: .seconds(0)), case .send(let second) = queue.next(at: .seconds(0)) else {
            throw NeverHappened(description: "two batches")
        }
        #expect(queue.isSending && queue.takeEnded().isEmpty)
        queue.finish(first.id)
        #expect(queue.takeEnded() == [1, 2])
        #expect(queue.fail(second.id, isFinal: false, at: .seconds(1), chance: 0) == 0)
        #expect(!queue.isSending && queue.takeEnded().isEmpty)
        #expect(queue.fail(second.id, isFinal: true, at: .seconds(1), chance: 0) == 2)
        #expect(queue.takeEnded() == [3, 4])
    }

    @Test func `CR-43: a queue that ends gives up what is kept nowhere else`() {
        var queue = kept(1...3)
        queue.append(WebhookEvent(topic: "", key: "a", body: [120]), at: .seconds(0))
        queue.abandon()
        #expect(queue.dropped == 1 && queue.isEmpty && queue.takeEnded().isEmpty)
    }

    @Test func `CR-43: what another process has left has room in any case, and its age counts`() throws {
        var queue = WebhookQueue(policy: WebhookPolicy(maximumEvents: 1, batchLength: 1, batchBytes: 1, requests: 4))
        for number in 1...3 as ClosedRange<UInt64> {
            queue.restore(WebhookEvent(topic: "", key: "\(number)", body: [120], number: number), since: .seconds(-299))
        }
        #expect(queue.count == 3 && queue.dropped == 0)
        guard case .send(let batch) = queue.next(at: .seconds(0)) else { throw NeverHappened(description: "a batch") }
        #expect(queue.fail(batch.id, isFinal: false, at: .seconds(2), chance: 0) == 1)
        #expect(queue.takeEnded() == [1])
    }

    @Test("In a hurry everything is tried at once, and then paused for again")
    func hurry() throws {
        let queue = Queue(WebhookPolicy(batchLength: 9, batchBytes: 99, window: .milliseconds(50), requests: 4))
        queue.append("a", "1")
        let batch = try #require(queue.batch(at: .seconds(1)))
        queue.fail(batch.id, at: .seconds(1))
        queue.append("b", "2", at: .seconds(1))
        #expect(queue.batch(at: .seconds(1)) == nil)
        queue.hurry()
        #expect(queue.begin(at: .seconds(1)) == ["1"])
        #expect(queue.begin(at: .seconds(1)) == ["2"])
        queue.fail(batch.id, at: .seconds(1))
        #expect(queue.batch(at: .seconds(1)) == nil)
    }
}
