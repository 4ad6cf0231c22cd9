import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerCluster
import ServerRuntime
import ServerValues
import Testing

/// One map of a store, which performs what leaders write.
private final class MapStore: ClusterOutput, ClusterReader {
    private let fields = NIOLockedValueBox<[String: ByteBuffer]>([:])
    private let put = NIOLockedValueBox<[ByteBuffer]>([])

    var count: Int { fields.withLockedValue(\.count) }
    /// All values that were ever put, oldest first.
    var values: [ByteBuffer] { put.withLockedValue { $0 } }

    func put(_ field: String, _ value: ByteBuffer) { fields.withLockedValue { $0[field] = value } }

    func emit(
        _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
        completion: (@Sendable (Bool) -> Void)?
    ) {
        for write in writes { perform(write) }
        completion?(true)
    }

    private func perform(_ write: StoreWrite) {
        switch write {
        case .put(_, let new):
            for field in new {
                guard case .text(let name) = field.name, case .bytes(let value) = field.value else { continue }
                put.withLockedValue { $0.append(value) }
                put(name, value)
            }
        case .removeFields(_, let names):
            fields.withLockedValue { fields in
                for case .text(let name) in names { fields[name] = nil }
                for case .bytes(let name) in names { fields[String(buffer: name)] = nil }
            }
        default: break
        }
    }

    func key(_ name: String) -> StoreKey { StoreKey(name) }

    func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
        guard case .page(_, let cursor, _) = question else { throw .unexpected }
        // In two pages, of which the second one has a field of the first one again.
        let sorted = fields.withLockedValue { $0.sorted { $0.key < $1.key } }
        let page = cursor == nil ? sorted.prefix(3) : sorted.dropFirst(2)
        return .fields(page.map { StoredField(ByteBuffer(string: $0.key), $0.value) }, next: cursor == nil ? "7" : nil)
    }
}

@Suite("Webhooks that wait when the leader ends are kept for the next one (CR-43 to CR-45)")
struct ClusterWebhookJournalTests {
    private let store = MapStore()
    private let seconds = NIOLockedValueBox<UInt64>(1_000)
    private let receiver = WebhookReceiverName(url: "http://receiver.test/hook?token=t0ken")

    private func journal(_ limits: ClusterWebhookJournal.Limits = .init()) async throws -> ClusterWebhookJournal {
        let seconds = seconds
        let clock = ServerClock(
            monotonic: { .seconds(Int64(seconds.withLockedValue { $0 })) }, unixSeconds: { 0 },
            unixTicks: { seconds.withLockedValue { $0 } * 10_000_000 })
        let context = ClusterLeaderContext(
            output: store, store: store, generation: 1, eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        return try await ClusterWebhookJournal(
            context, of: .pusher, key: "map", clock: clock,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            limits: limits)
    }

    private func event(_ body: String, of key: String = "room") -> WebhookEvent {
        WebhookEvent(topic: "t", key: key, body: Array(body.utf8))
    }

    @Test func `CR-43: what has not arrived is found by the next leader, once, in its order and with its age`() async throws {
        let first = try await journal()
        var numbers: [UInt64] = []
        for number in 1...12 {
            numbers.append(try #require(first.keep(event("\(number)"), of: "app", for: receiver)))
            seconds.withLockedValue { $0 += 1 }
        }
        _ = first.keep(event("other"), of: "second", for: receiver)
        first.forget([numbers[0], numbers[4]])
        first.forget([])
        let next = try await journal()
        let claimed = next.claim("app")
        #expect(
            claimed.map { String(decoding: $0.event.body, as: UTF8.self) } == [2, 3, 4, 6, 7, 8, 9, 10, 11, 12].map { "\($0)" })
        #expect(claimed.compactMap(\.event.number) == numbers.filter { ![numbers[0], numbers[4]].contains($0) })
        #expect(claimed.first?.age == .seconds(11) && claimed.last?.age == .seconds(1))
        #expect(claimed.allSatisfy { $0.receiver == receiver && $0.event.key == "room" && $0.event.topic == "t" })
        #expect(next.claim("app").isEmpty)
        #expect(next.unclaimed == ["second"])
        let fresh = try #require(next.keep(event("13"), of: "app", for: receiver))
        #expect(numbers.allSatisfy { $0 < fresh }, "Numbers go on, or the next leader would not know the order.")
        next.forget(claimed.compactMap(\.event.number) + [fresh])
        #expect(store.count == 1)
    }

    @Test func `CR-43: a clock that was set back makes no event younger than new`() async throws {
        _ = try await journal().keep(event("1"), of: "app", for: receiver)
        seconds.withLockedValue { $0 -= 100 }
        #expect(try await journal().claim("app").map(\.age) == [.zero])
    }

    @Test func `CR-44: beyond its room nothing is kept, and nothing of it is written`() async throws {
        var limits = ClusterWebhookJournal.Limits()
        limits.events = 4
        let journal = try await journal(limits)
        let numbers = (1...4).compactMap { journal.keep(event("\($0)"), of: "app", for: receiver) }
        #expect(numbers.count == 4)
        #expect(journal.keep(event("5"), of: "app", for: receiver) == nil)
        #expect(store.count == 4)
        journal.forget([numbers[0]])
        #expect(journal.keep(event("6"), of: "app", for: receiver) != nil)
        limits = .init()
        limits.bytes = 1_000
        let small = try await self.journal(limits)
        #expect(small.keep(event(String(repeating: "x", count: 1_000)), of: "app", for: receiver) == nil)
    }

    @Test func `CR-44: what was found counts as kept`() async throws {
        _ = try await journal().keep(event("1"), of: "app", for: receiver)
        var limits = ClusterWebhookJournal.Limits()
        limits.events = 1
        #expect(try await journal(limits).keep(event("2"), of: "app", for: receiver) == nil)
    }

    @Test func `CR-45: what no receiver claims for five minutes is given up and counted`() async throws {
        let first = try await journal()
        for number in 1...3 { _ = first.keep(event("\(number)"), of: number < 3 ? "gone" : "app", for: receiver) }
        let next = try await journal()
        #expect(next.claim("app").count == 1)
        seconds.withLockedValue { $0 += 299 }
        #expect(next.expire().isEmpty)
        seconds.withLockedValue { $0 += 1 }
        #expect(next.expire() == ["gone": 2])
        #expect(next.expire().isEmpty && next.claim("gone").isEmpty)
        #expect(store.count == 1)
    }

    @Test func `CR-45: neither the address of a receiver nor a token in it is kept`() async throws {
        _ = try await journal().keep(event("1"), of: "app", for: receiver)
        #expect(store.values.count == 1 && store.values.allSatisfy { !String(buffer: $0).contains("t0ken") })
        #expect(WebhookReceiverName(url: "http://a.test/1").text != WebhookReceiverName(url: "http://a.test/2").text)
        #expect(WebhookReceiverName(url: "x", ordinal: 1) != WebhookReceiverName(url: "x"))
    }

    @Test func `CR-43: what is of another version is given up, and the rest is told`() async throws {
        store.put("8", ByteBuffer(bytes: [9, 1, 2]))
        store.put("word", ByteBuffer(bytes: [1]))
        _ = try await journal().keep(event("1"), of: "app", for: receiver)
        #expect(store.count == 1)
        #expect(try await journal().claim("app").count == 1)
    }

    @Test func `CR-42: a number after which no other one fits is not gone on with`() async throws {
        _ = try await journal().keep(event("1"), of: "app", for: receiver)
        let value = try #require(store.values.last)
        for number: UInt64 in [.max, .max - 1, UInt64(Int64.max) + 1] { store.put("\(number)", value) }
        let next = try await journal()
        #expect(store.count == 1 && next.claim("app").count == 1)
        #expect((1...3).map { _ in next.keep(event("2"), of: "app", for: receiver) } == [2, 3, 4])
    }
}
