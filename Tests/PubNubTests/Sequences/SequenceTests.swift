import PubNubProtocol
import Testing

@testable import PubNub

/// Async sequences beside the listeners (rules PK-40 to PK-43).
struct SequenceTests {
    private let fixture = Fixture()

    @Test func `messages of one channel come in order, those of others do not`() async {
        let messages = fixture.client.messages(on: "a")
        fixture.engine.tell(.messages(PubNubBatch([.text("1"), .text("x", on: "b"), .text("2"), .text("9", kind: .signal)])))
        fixture.engine.tell(.messages(PubNubBatch([.text("3")])))
        var heard: [String] = []
        for await message in messages {
            heard.append(message.json)
            if heard.count == 3 { break }
        }
        #expect(heard == ["1", "2", "3"])
    }

    /// Rule PK-79.
    @Test func `what a loop has not seen of an answer, and a gap, wait for the next loop`() async throws {
        let messages = fixture.client.messages(on: "a")
        fixture.engine.tell(.messages(PubNubBatch([.text("1"), .text("2"), .text("3")])))
        for await message in messages {
            #expect(message.json == "1")
            break
        }
        for await message in messages {
            #expect(message.json == "2" && message.precedingGap == nil)
            break
        }
        for await message in messages {
            #expect(message.json == "3")
            break
        }
        // The first loop takes the gap, waits for the message behind it, and is ended by the second one.
        fixture.engine.tell(.gap(PubNubList(channels: ["a"]), since: .zero, after: Timetoken(rawValue: 4)))
        let displaced = Task { () async -> String? in
            for await message in messages { return message.json }
            return nil
        }
        while !messages.stream.isAwaited { await Task.yield() }
        let later = Task { () async -> PNReceived<PNMessageData>? in
            for await message in messages { return message }
            return nil
        }
        #expect(await displaced.value == nil)
        fixture.engine.tell(.messages(PubNubBatch([.text("4")])))
        let message = try #require(await later.value)
        #expect(message.json == "4" && message.precedingGap?.lastTimetoken == 4)
    }

    @Test func `a group or wildcard brings what came through it`() async throws {
        let messages = fixture.client.messages(on: "rooms.*")
        var raw = PubNubMessage.text("1", on: "rooms.1")
        raw.subscription = "rooms.*"
        fixture.engine.tell(.messages(PubNubBatch([raw])))
        var iterator = messages.makeAsyncIterator()
        #expect(try #require(await iterator.next()).channel == "rooms.1")
    }

    @Test func `a gap is told with the next message`() async throws {
        var iterator = fixture.client.messages(on: "a").makeAsyncIterator()
        fixture.engine.tell(.messages(PubNubBatch([.text("1")])))
        fixture.engine.tell(.gap(PubNubList(channels: ["b"]), since: .zero, after: Timetoken(rawValue: 3)))
        fixture.engine.tell(.gap(PubNubList(channels: ["a"]), since: .zero, after: Timetoken(rawValue: 4)))
        fixture.engine.tell(.messages(PubNubBatch([.text("2"), .text("3")])))
        #expect(try #require(await iterator.next()).precedingGap == nil)
        #expect(try #require(await iterator.next()).precedingGap?.lastTimetoken == 4)
        #expect(try #require(await iterator.next()).precedingGap == nil)
    }

    @Test(arguments: [
        ("rooms.1", "rooms.*", true), ("rooms.1.2", "rooms.*", true), ("rooms.*", "rooms.*", true), ("rooms", "rooms.*", false),
        ("roomsx", "rooms.*", false), ("a", "a-pnpres", true), ("a-pnpres", "a", true), ("ab", "a", false),
    ])
    func `PK-91: a gap concerns what a wildcard covers, and a channel with its presence`(
        name: String, subscribed: String, concerns: Bool
    ) async throws {
        let gap = PNGap(PubNubList(channels: [subscribed]))
        #expect(gap.concerns(name) == concerns)
        #expect(PNGap(PubNubList(channels: [subscribed], groups: ["g"])).concerns(name))
        #expect(PNGap().concerns(name))
        guard name == "rooms.1" else { return }
        var iterator = fixture.client.messages(on: name).makeAsyncIterator()
        var raw = PubNubMessage.text("1", on: name)
        raw.subscription = subscribed
        fixture.engine.tell(
            .gap(PubNubList(channels: [subscribed]), since: .zero, after: Timetoken(rawValue: 4)), .messages(PubNubBatch([raw])))
        #expect(try #require(await iterator.next()).precedingGap?.lastTimetoken == 4)
    }

    @Test func `a consumer that is too slow is told that it missed something`() async throws {
        let messages = fixture.client.messages(on: "a", limit: 2)
        for number in 0..<5 { fixture.engine.tell(.messages(PubNubBatch([.text("\(number)")]))) }
        var iterator = messages.makeAsyncIterator()
        #expect(try #require(await iterator.next()).json == "0")
        #expect(try #require(await iterator.next()).json == "1")
        fixture.engine.tell(.messages(PubNubBatch([.text("5")])))
        let late = try #require(await iterator.next())
        #expect(late.json == "5")
        #expect(late.precedingGap != nil)
        #expect(messages.droppedCount == 3)
    }

    @Test func `presence events come by the name of their channel`() async throws {
        var iterator = fixture.client.presence(on: "a").makeAsyncIterator()
        fixture.engine.tell(
            .messages(
                PubNubBatch([.text("1"), .text(#"{"action":"leave","uuid":"u","timestamp":5,"occupancy":0}"#, on: "a-pnpres")])))
        let event = try #require(await iterator.next())
        #expect(event.presenceEvent == "leave")
        #expect(event.presence.timetoken == 5)
    }

    @Test func `statuses are all there, and end with the client`() async {
        let engine = ScriptedEngine()
        var client: PubNub? = PubNub(
            ConfigurationValues(publishKey: "p", subscribeKey: "s", uuid: "me", deviceID: "d"), queue: .inline,
            assembly: PubNubEngineAssembly(makeCalls: { _ in ScriptedCalls() }, makeEngine: { _, _ in engine }))
        let statuses = client?.statuses
        client?.subscribeToChannels(["a"], withPresence: false)
        engine.confirm(PubNubList(channels: ["a"]))
        engine.fail(.lost(.timeout))
        client = nil
        var heard: [PNStatusCategory] = []
        if let statuses { for await status in statuses { heard.append(status.category) } }
        #expect(heard == [.PNConnectedCategory, .PNUnexpectedDisconnectCategory])
    }

    @Test func `no message waits in memory for a sequence of statuses`() async {
        let statuses = fixture.client.statuses
        for _ in 0..<5_000 { fixture.engine.tell(.messages(PubNubBatch([.text("1")]))) }
        fixture.engine.fail(.lost(.timeout))
        #expect(statuses.stream.droppedCount == 0, "Nothing was dropped, because nothing had to wait")
        var iterator = statuses.makeAsyncIterator()
        #expect(await iterator.next()?.category == .PNUnexpectedDisconnectCategory)
    }

    @Test func `a message decodes into a type of one's own`() async throws {
        struct Price: Decodable, Equatable { var company: String, price: Int }
        var iterator = fixture.client.messages(on: "a").makeAsyncIterator()
        fixture.engine.tell(.messages(PubNubBatch([.text(#"{"company":"ACME","price":3}"#)])))
        let message = try #require(await iterator.next())
        #expect(try message.content.decode(Price.self) == Price(company: "ACME", price: 3))
        #expect(throws: DecodingError.self) { try message.content.decode([Int].self) }
    }

    @Test func `two spellings of one name are two channels (HB-11)`() async {
        fixture.client.subscribeToChannels(["caf\u{E9}", "cafe\u{301}"], withPresence: false)
        #expect(fixture.client.channels().count == 2)
        var iterator = fixture.client.messages(on: "caf\u{E9}").makeAsyncIterator()
        fixture.engine.tell(.messages(PubNubBatch([.text("1", on: "cafe\u{301}"), .text("2", on: "caf\u{E9}")])))
        #expect(await iterator.next()?.json == "2")
    }
}
