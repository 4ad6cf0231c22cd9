import ChatProtocol
import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Chat messages through the neutral API", .timeLimit(.minutes(1)))
struct ChatInboxTests {
    private func acknowledged(_ fixture: ChatFixture, _ sequence: UInt64) async {
        while fixture.server.acknowledged.last != sequence {
            fixture.timers.advanceToNext()
            await Task.yield()
        }
    }

    @Test("A message's event is its type, its data the content; a direct channel is the other user")
    func messages() async throws {
        let fixture = ChatFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("direct:ben").subscribe()
        fixture.deliver(ChatFixture.message(1, type: "my:type"), at: 11)
        fixture.deliver(ChatFixture.message(2, from: "eve"), at: 12)
        // One's own, where devices are kept alike.
        fixture.deliver(ChatFixture.message(3, from: "ann", to: "ben"), at: 13)
        var told: [String] = []
        for await message in room.messages.prefix(2) {
            told.append("\(message.channel) \(message.event) \(message.data) \(message.id ?? "") \(message.user ?? "")")
        }
        #expect(told == [#"direct:ben my:type {"content":1} 1 ben"#, #"direct:ben message {"content":3} 3 ann"#])
        await acknowledged(fixture, 13)
    }

    @Test("LL-27: a message of one's own is told once, whether the answer or the inbox brings it first")
    func own() async throws {
        let fixture = ChatFixture { _ in nil }
        try await fixture.connect()
        let room = try await fixture.client.channel("direct:ben").subscribe()
        fixture.server.answer { _ in .success(.sent(ChatMessageID(rawValue: 1))) }
        #expect(try await room.publish(["content": 1]) == .accepted(id: "1"))
        // Devices are kept alike.
        fixture.deliver(ChatFixture.message(1, from: "ann", to: "ben"), at: 11)
        fixture.deliver(ChatFixture.message(2, from: "ann", to: "ben"), at: 12)
        fixture.server.answer { _ in .success(.sent(ChatMessageID(rawValue: 2))) }
        #expect(try await room.publish(["content": 2]) == .accepted(id: "2"))
        fixture.deliver(ChatFixture.message(3), at: 13)
        var ids: [String?] = []
        for await message in room.messages.prefix(3) { ids.append(message.id) }
        #expect(ids == ["1", "2", "3"])
    }

    @Test("NP-26: a package is acknowledged at once, also when nobody wants what is in it")
    func acknowledgedAtOnce() async throws {
        let fixture = ChatFixture()
        fixture.server.prepare(package: [(11, ChatFixture.message(1, from: "eve"))])
        let channel = fixture.client.channel("direct:ben")
        let subscribing = Task { () async throws in try await channel.subscribe() }
        while channel.core.hub.rooms(of: "direct:ben").isEmpty, !Task.isCancelled { await Task.yield() }
        try await fixture.connect()
        _ = try await subscribing.value
        await acknowledged(fixture, 11)
        #expect(fixture.server.acknowledged == [11])
    }

    @Test("NP-26: without a channel of the inbox nothing is acknowledged, and the first one gets what has come before")
    func unclaimed() async throws {
        let fixture = ChatFixture { request in
            if case .enter = request { .success(ScriptedChat.empty) } else { .success(.done) }
        }
        fixture.server.prepare(package: [(11, ChatFixture.message(1)), (12, ChatFixture.message(2, from: "eve"))])
        try await fixture.connect()
        _ = try await fixture.client.channel("room").subscribe()
        fixture.client.settle()
        fixture.timers.advance(by: .milliseconds(1_500))
        fixture.client.settle()
        #expect(fixture.server.acknowledged.isEmpty)
        let room = try await fixture.client.channel("direct:ben").subscribe()
        for await message in room.messages.prefix(1) { #expect(message.data == #"{"content":1}"#) }
        fixture.client.settle()
        #expect(fixture.server.acknowledged == [12])
    }

    @Test("NP-31: when more came than is held before the first channel of the inbox, that channel begins with a gap")
    func unclaimedOverflow() async throws {
        let fixture = ChatFixture { request in
            if case .enter = request { .success(ScriptedChat.empty) } else { .success(.done) }
        }
        try await fixture.connect()
        _ = try await fixture.client.channel("room").subscribe()
        let before = fixture.timers.now
        let held = UInt64(ChatEventTranslation.heldLimit)
        for number in 1...held + 1 { fixture.deliver(ChatFixture.message(number), at: 10 + number) }
        let room = try await fixture.client.channel("direct:ben").subscribe()
        var told: [String] = []
        for await delivery in room.deliveries.prefix(2) {
            switch delivery {
            case .gap(let gap): told.append("gap \(gap.since <= before)")
            case .message(let message): told.append(message.data)
            case .failed: told.append("failed")
            }
        }
        #expect(told == ["gap true", #"{"content":2}"#])
        fixture.client.settle()
        #expect(fixture.server.acknowledged == [11 + held])
    }

    @Test("What the server has lost is a gap of every channel of the inbox, and of no other")
    func gap() async throws {
        let fixture = ChatFixture { request in
            switch request {
            case .enter: .success(ScriptedChat.empty)
            default: .success(.members([], hasMore: false))
            }
        }
        try await fixture.connect()
        for name in ["direct:ben", "group:g", "room"] { _ = try await fixture.client.channel(name).subscribe() }
        let events = fixture.client.events
        fixture.server.prepare(sequence: 40, hasLost: true)
        fixture.loseLink()
        var told: [String] = []
        for await event in events {
            switch event {
            case .subscribed(let channel, _, _): told.append(channel)
            case .gap(let gap): told.append("gap \(gap.channel)")
            default: continue
            }
            if told.count == 5 { break }
        }
        #expect(Set(told) == ["direct:ben", "gap direct:ben", "group:g", "gap group:g", "room"])
        for name in ["direct:ben", "group:g"] {
            let confirmed = try #require(told.firstIndex(of: name))
            let gap = try #require(told.firstIndex(of: "gap \(name)"))
            #expect(confirmed < gap)
        }
    }

    @Test("Resuming without a loss is no gap: what was missed comes in order")
    func resumed() async throws {
        let fixture = ChatFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("direct:ben").subscribe()
        fixture.deliver(ChatFixture.message(1), at: 11)
        await acknowledged(fixture, 11)
        fixture.server.prepare(
            sequence: 11, isResumed: true, package: [(12, ChatFixture.message(2)), (13, ChatFixture.message(3))])
        fixture.loseLink()
        var told: [String] = []
        for await delivery in room.deliveries.prefix(3) {
            if case .message(let message) = delivery { told.append(message.data) } else { told.append("other") }
        }
        #expect(told == [#"{"content":1}"#, #"{"content":2}"#, #"{"content":3}"#])
        #expect(fixture.server.hellos.last?.resume == ChatPlace(epoch: "e", sequence: 11))
    }

    @Test("A second device of the class ends the connection for good, with its number")
    func kicked() async throws {
        let fixture = ChatFixture()
        try await fixture.connect()
        let statuses = fixture.client.statuses
        fixture.receive(ChatServerFrames.bye(ChatBye(code: .kicked, reason: "Signed in on another device.")))
        let status = await statuses.first { $0.phase == .failed }
        #expect(status?.category == .kicked)
        #expect(status?.cause?.code == 31_010)
    }
}
