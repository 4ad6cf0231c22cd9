import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Messages of one type (LL-85)", .timeLimit(.minutes(1)))
struct TypedMessagesTests {
    private struct Price: Codable, Hashable, Sendable { var cents: Int }

    @Test("Messages of the event come as values; what is none is a case of its own, and other events are passed over")
    func values() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        let prices = room.messages(of: Price.self, event: "price")
        adapter.message(#"{"cents":1}"#, event: "price")
        adapter.message(#"{"cents":2}"#, event: "other")
        adapter.message(#"{"euros":3}"#, event: "price")
        adapter.message(#"{"cents":4}"#, event: "price")
        var iterator = prices.makeAsyncIterator()
        #expect(await iterator.next()?.value == Price(cents: 1))
        guard case .undecodable(let error, let message) = await iterator.next() else {
            return #expect(Bool(false), "it was decoded")
        }
        #expect(error.code == .undecodable && message.text == #"{"euros":3}"# && !error.reason.contains("euros"))
        let last = await iterator.next()
        #expect(last?.value == Price(cents: 4) && last?.message.event == "price")
        room.unsubscribe()
        #expect(await iterator.next() == nil)
    }

    @Test("A gap before a message of another event is one before the next message of this event")
    func gaps() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        var iterator = room.messages(of: Int.self, event: "price").makeAsyncIterator()
        adapter.tell(.gap(channel: "room", since: .zero, .connectionLost))
        adapter.message("1", event: "other")
        adapter.message("2", event: "price")
        adapter.message("3", event: "price")
        let first = await iterator.next()
        #expect(first?.value == 2 && first?.message.precedingGap != nil)
        let second = await iterator.next()
        #expect(second?.value == 3 && second?.message.precedingGap == nil)
    }

    @Test("Without an event all messages are decoded")
    func all() async throws {
        let (client, adapter) = scriptedClient()
        var iterator = try await client.channel("room").subscribe().messages(of: Int.self).makeAsyncIterator()
        adapter.message("1", event: "a")
        adapter.message("2", event: "b")
        #expect(await iterator.next()?.value == 1)
        #expect(await iterator.next()?.value == 2)
    }
}
