import ConnectionEngine
import PusherProtocol
import Testing

@testable import Lifeline

@Suite("Pusher through the neutral API", .timeLimit(.minutes(1)))
struct PusherAdapterTests {
    @Test("LL-7: a lost link is a gap with the confirmation on the next one, before newer messages")
    func gapAfterLoss() async throws {
        let fixture = PusherFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        fixture.receive(#"{"event":"e","channel":"room","data":"1"}"#)
        let heardAt = fixture.timers.now
        fixture.timers.advance(by: .milliseconds(300))
        fixture.loseLink()
        fixture.timers.advance(by: .milliseconds(600))
        fixture.greet()
        fixture.receive(#"{"event":"e","channel":"room","data":"2"}"#)
        var told: [String] = []
        for await delivery in room.deliveries.prefix(3) {
            switch delivery {
            case .message(let message): told.append(message.data)
            case .gap(let gap): told.append("gap \(gap.reason) \(gap.since == heardAt)")
            case .failed: told.append("failed")
            }
        }
        #expect(told == ["1", "gap connectionLost true", "2"])
    }

    @Test("LL-14: a client event is accepted when the server has read it, and gets its prefix")
    func clientEventAccepted() async throws {
        let fixture = PusherFixture(access: .custom { _ in PusherAccess.Grant(auth: "key:sig") })
        try await fixture.connect()
        let room = try await fixture.client.channel("private-room").subscribe()
        async let outcome = room.publish(["a": 1], event: "move")
        await fixture.sent("client-move")
        await fixture.pong()
        #expect(try await outcome == .accepted(id: nil))
        #expect(fixture.texts.last == #"{"event":"client-move","channel":"private-room","data":{"a":1}}"#)
    }

    @Test("LL-88: an event has one name, whoever publishes it and whichever way, and what clients send is marked")
    func oneName() async throws {
        let fixture = PusherFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("private-room").subscribe()
        let open = try await fixture.client.channel("room").subscribe()
        fixture.receive(#"{"event":"price","channel":"private-room","data":"1"}"#)
        fixture.receive(#"{"event":"client-price","channel":"private-room","data":"2"}"#)
        // Clients publish nothing to public channels: the name is the server's own there.
        fixture.receive(#"{"event":"client-price","channel":"room","data":"3"}"#)
        var messages = room.messages.makeAsyncIterator()
        let (first, second) = (await messages.next(), await messages.next())
        #expect(first?.event == "price" && first?.isClientEvent == false)
        #expect(second?.event == "price" && second?.isClientEvent == true)
        var others = open.messages.makeAsyncIterator()
        let third = await others.next()
        #expect(third?.event == "client-price" && third?.isClientEvent == false)
    }

    @Test("LL-14: a client event that the server complains about is refused")
    func clientEventRefused() async throws {
        let fixture = PusherFixture(access: .custom { _ in PusherAccess.Grant(auth: "key:sig") })
        try await fixture.connect()
        let room = try await fixture.client.channel("private-room").subscribe()
        async let outcome = room.publish(1, event: "client-move")
        await fixture.sent("client-move")
        fixture.receive(PusherFrames.error(code: 4301, message: "Too fast."))
        await fixture.pong()
        guard case .refused(let error) = try await outcome else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .init(.overloaded))
    }

    @Test("LL-14: a client event is unknown when the connection ends before the server has confirmed it")
    func clientEventUnknown() async throws {
        let fixture = PusherFixture(access: .custom { _ in PusherAccess.Grant(auth: "key:sig") })
        try await fixture.connect()
        let room = try await fixture.client.channel("private-room").subscribe()
        async let outcome = room.publish(1)
        await fixture.sent("client-message")
        fixture.loseLink()
        guard case .unknown = try await outcome else {
            Issue.record("not unknown")
            return
        }
    }

    @Test("What Pusher lacks throws, naming the feature and the service")
    func unsupported() async throws {
        let fixture = PusherFixture(access: .none)
        let channel = fixture.client.channel("room")
        let publishing = await #expect(throws: LifelineError.self) { try await channel.publish(1) }
        #expect(publishing?.code == .unsupported)
        #expect(publishing?.service == "Pusher Channels")
        let history = await #expect(throws: LifelineError.self) { try await channel.history(last: 1) }
        #expect(history == .unsupported(feature: "message history", service: "Pusher Channels"))
    }

    @Test("LL-4: a channel that was refused for good is forgotten by the next connection")
    func refusedIsForgotten() async throws {
        let fixture = PusherFixture(access: .none)
        try await fixture.connect()
        let error = await #expect(throws: LifelineError.self) {
            try await fixture.client.channel("private-x").subscribe()
        }
        #expect(error?.code == .accessDenied)
        fixture.loseLink()
        fixture.timers.advance(by: .seconds(1))
        let events = fixture.client.events
        fixture.greet()
        _ = try await fixture.client.channel("room").subscribe()
        var problems = 0
        for await event in events {
            if case .problem = event { problems += 1 }
            if case .subscribed = event { break }
        }
        #expect(problems == 0)
    }

    @Test("LL-6: unsubscribing while the confirmation is awaited cancels the call, and the channel stays away")
    func unsubscribeWhilePending() async throws {
        let fixture = PusherFixture(confirms: false)
        try await fixture.connect()
        let channel = fixture.client.channel("room")
        let subscribing = Task { () async throws in try await channel.subscribe() }
        await fixture.sent("pusher:subscribe")
        channel.unsubscribe()
        let error = await #expect(throws: LifelineError.self) { try await subscribing.value }
        #expect(error?.code == .cancelled)
        #expect(fixture.texts.last == #"{"event":"pusher:unsubscribe","data":{"channel":"room"}}"#)
    }

    @Test("Presence comes from the confirmation and from what follows")
    func presence() async throws {
        let fixture = PusherFixture(confirms: false)
        try await fixture.connect()
        async let subscribing = fixture.client.channel("presence-x").subscribe()
        await fixture.sent("pusher:subscribe")
        let ann = PusherMember(userID: "ann", infoJSON: #"{"name":"Ann"}"#)
        fixture.receive(PusherFrames.subscriptionSucceeded(channel: "presence-x", members: [ann]))
        let presence = try await subscribing.presence
        #expect(presence.members == [Member(id: "ann", info: #"{"name":"Ann"}"#)])
        let changes = presence.changes
        fixture.receive(PusherFrames.memberAdded(channel: "presence-x", member: PusherMember(userID: "ben")))
        fixture.receive(PusherFrames.memberRemoved(channel: "presence-x", userID: "ann"))
        var told: [String] = []
        for await change in changes.prefix(2) { told.append("\(change.action) \(change.member.id) \(change.count)") }
        #expect(told == ["join ben 2", "leave ann 1"])
    }

    @Test("LL-27: an event of one's own comes back when the server has read it, with one's own id in a presence channel")
    func ownEvent() async throws {
        let fixture = PusherFixture(
            access: .custom { _ in .init(auth: "key:signature", channelData: #"{"user_id":"ann"}"#) }, confirms: false)
        try await fixture.connect()
        async let subscribing = fixture.client.channel("presence-x").subscribe()
        await fixture.sent("pusher:subscribe")
        fixture.receive(PusherFrames.subscriptionSucceeded(channel: "presence-x", members: [PusherMember(userID: "ann")]))
        let room = try await subscribing
        async let outcome = room.publish(json: #"{"a":1}"#, event: "typing")
        await fixture.sent("client-typing")
        await fixture.pong()
        #expect(try await outcome == .accepted(id: nil))
        var iterator = room.messages.makeAsyncIterator()
        let message = try #require(await iterator.next() as Message?)
        #expect(message.event == "typing" && message.isClientEvent)
        #expect(message.text == #"{"a":1}"#)
        #expect(message.user == "ann")
    }

    @Test("The protocol's own events are no messages, and errors about the connection are statuses")
    func protocolEventsStayInside() async throws {
        let fixture = PusherFixture()
        try await fixture.connect()
        let events = fixture.client.events
        _ = try await fixture.client.channel("cache-room").subscribe()
        fixture.receive(PusherFrames.cacheMiss(channel: "cache-room"))
        fixture.receive(PusherFrames.error(code: 4200, message: "Restart."))
        fixture.receive(PusherFrames.error(code: nil, message: "Odd."))
        var told: [String] = []
        for await event in events.prefix(3) {
            switch event {
            case .subscribed: told.append("subscribed")
            case .problem(let error, nil, _, _): told.append(error.reason)
            case .notice(let notice, _): told.append(notice.name.rawValue)
            default: told.append("other")
            }
        }
        #expect(told == ["subscribed", "cacheMissed", "Odd."])
    }

    @Test("LL-1: a released client aborts its connection")
    func releaseAborts() async throws {
        var fixture: PusherFixture? = PusherFixture()
        try await fixture?.connect()
        let transport = fixture?.transport
        #expect(transport?.live.count == 1)
        fixture = nil
        #expect(transport?.live == [])
    }
}
