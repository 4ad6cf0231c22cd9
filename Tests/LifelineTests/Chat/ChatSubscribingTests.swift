import ChatProtocol
import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Chat channels through the neutral API", .timeLimit(.minutes(1)))
struct ChatSubscribingTests {
    @Test("NP-23: names say the kind of channel; a name without one is an open channel's")
    func names() throws {
        #expect(try ChatChannel(name: "direct:ben") == ChatChannel(.direct, "ben"))
        #expect(try ChatChannel(name: "group:g:1") == ChatChannel(.group, "g:1"))
        #expect(try ChatChannel(name: "system:news") == ChatChannel(.system, "news"))
        #expect(try ChatChannel(name: "open:room") == ChatChannel(.open, "room"))
        #expect(try ChatChannel(name: "room") == ChatChannel(.open, "room"))
        #expect(try ChatChannel(name: "game:7") == ChatChannel(.open, "game:7"))
        for name in ["", "direct:", String(repeating: "a", count: 65)] {
            #expect(throws: LifelineError.self) { try ChatChannel(name: name) }
        }
    }

    @Test("NP-23: a name that cannot be used is refused at once")
    func badName() async throws {
        let fixture = ChatFixture()
        let error = await #expect(throws: LifelineError.self) { try await fixture.client.channel("direct:").subscribe() }
        #expect(error?.code == .badRequest)
    }

    @Test("NP-24: direct and system channels are there with each connection, and nothing is asked for them")
    func localChannels() async throws {
        let fixture = ChatFixture()
        let events = fixture.client.events
        try await fixture.connect()
        _ = try await fixture.client.channel("direct:ben").subscribe()
        _ = try await fixture.client.channel("system:news").subscribe()
        fixture.loseLink()
        var told: [String] = []
        for await event in events {
            if case .subscribed(let channel, let isRenewal, _) = event { told.append("\(channel) \(isRenewal)") }
            if told.count == 4 { break }
        }
        #expect(told == ["direct:ben false", "system:news false", "direct:ben true", "system:news true"])
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("NP-24: a subscription waits for the connection, and ends with it")
    func waiting() async throws {
        let fixture = ChatFixture()
        let channel = fixture.client.channel("direct:ben")
        let first = Task { () async throws in try await channel.subscribe() }
        while channel.core.hub.rooms(of: "direct:ben").isEmpty, !Task.isCancelled { await Task.yield() }
        try await fixture.connect()
        _ = try await first.value
        await fixture.disconnect()
        #expect(fixture.client.status.phase == .disconnected)
    }

    @Test("NP-24: a group wants a member; who is none is refused, and not asked for again")
    func groups() async throws {
        let fixture = ChatFixture { request in
            guard case .groupMembers(let members) = request, members.group == "mine" else {
                return .failure(ChatRequestRefusal(.notInGroup, "The user is not in the group."))
            }
            return .success(.members([], hasMore: false))
        }
        try await fixture.connect()
        _ = try await fixture.client.channel("group:mine").subscribe()
        let error = await #expect(throws: LifelineError.self) {
            try await fixture.client.channel("group:others").subscribe()
        }
        #expect(error?.code == .accessDenied)
        #expect(error?.number == 22_406)
        let asked = fixture.server.requests.count
        fixture.loseLink()
        while fixture.server.requests.count == asked, !Task.isCancelled { await Task.yield() }
        #expect(fixture.server.requests.last == .groupMembers(ChatMembersRequest("mine", limit: 1)))
        #expect(fixture.server.requests.count == asked + 1)
    }

    @Test("NP-24: what comes for a group while its membership is checked follows the confirmation")
    func groupHolds() async throws {
        let fixture = ChatFixture { _ in nil }
        try await fixture.connect()
        let events = fixture.client.events
        let channel = fixture.client.channel("group:g")
        let subscribing = Task { () async throws in try await channel.subscribe() }
        while fixture.server.requests.isEmpty, !Task.isCancelled { await Task.yield() }
        fixture.deliver(ChatFixture.message(5, to: "g", .group), at: 11)
        guard
            case .request(_, let number) = fixture.server.frames.last(where: {
                if case .request = $0 { true } else { false }
            })
        else { return }
        fixture.receive(ChatServerFrames.ok(number, .members([], hasMore: false)))
        _ = try await subscribing.value
        var told: [String] = []
        for await event in events {
            switch event {
            case .subscribed: told.append("subscribed")
            case .message(let message): told.append(message.data)
            default: continue
            }
            if told.count == 2 { break }
        }
        #expect(told == ["subscribed", #"{"content":5}"#])
    }

    @Test("NP-30: a membership that the service did not tell is checked again on the same connection; messages wait for it")
    func membershipCheckedAgain() async throws {
        let fixture = ChatFixture { _ in .success(.members([], hasMore: false)) }
        try await fixture.connect()
        let deliveries = try await fixture.client.channel("group:g").subscribe().deliveries
        fixture.server.answer { _ in .failure(ChatRequestRefusal(.tooFrequent, "Later.")) }
        fixture.loseLink()
        let (asked, dials) = (fixture.server.requests.count, fixture.transport.dials)
        fixture.deliver(ChatFixture.message(5, to: "g", .group), at: 11)
        fixture.server.answer { _ in .success(.members([], hasMore: false)) }
        while fixture.server.requests.count == asked, !Task.isCancelled {
            fixture.timers.advanceToNext()
            await Task.yield()
        }
        var told: [String] = []
        for await delivery in deliveries.prefix(2) {
            switch delivery {
            case .message(let message): told.append(message.data)
            case .failed(let error, let willRetry): told.append("\(error.code) \(willRetry)")
            case .gap: told.append("gap")
            }
        }
        #expect(told == ["overloaded true", #"{"content":5}"#])
        #expect(fixture.transport.dials == dials)
    }

    @Test("Whoever is taken out of a group is not subscribed any more")
    func kickedFromGroup() async throws {
        let fixture = ChatFixture { _ in .success(.members([], hasMore: false)) }
        try await fixture.connect()
        let room = try await fixture.client.channel("group:g").subscribe()
        let deliveries = room.deliveries
        let operation = ChatGroupOperation(
            kind: .kick, group: ChatGroup(id: "g", name: "G", owner: "ben"), operator: "ben",
            members: [ChatGroupMember(user: "ann", role: .member)], time: 1)
        fixture.receive(ChatServerFrames.event(ChatWireEvent.group(operation).body, sequence: 11))
        var last: LifelineError?
        for await delivery in deliveries {
            if case .failed(let error, willRetry: false) = delivery { last = error }
        }
        #expect(last?.code == .accessDenied)
        #expect(room.isEnded)
    }

    @Test("An open channel is entered, entered again on the next connection, and left")
    func openChannel() async throws {
        let fixture = ChatFixture { request in
            if case .enter = request { .success(ScriptedChat.empty) } else { .success(.done) }
        }
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        fixture.receive(ChatServerFrames.transient(ChatFixture.message(20_000_000, to: "room", .open).body))
        // What was missed, and more than one answer holds.
        fixture.server.answer { request in
            guard case .enter = request else { return .success(.done) }
            return .success(
                .entrance(
                    ChatOpenEntrance(channel: "", created: 1, count: 1, entered: 1, hasMore: true),
                    messages: [ChatFixture.message(20_000_009, to: "room", .open).body]))
        }
        let heard = fixture.timers.now
        fixture.loseLink()
        var told: [String] = []
        for await delivery in room.deliveries.prefix(3) {
            switch delivery {
            case .message(let message): told.append(message.data)
            case .gap(let gap): told.append("gap \(gap.since <= heard)")
            case .failed: told.append("failed")
            }
        }
        #expect(told == [#"{"content":20000000}"#, "gap true", #"{"content":20000009}"#])
        fixture.client.settle()
        room.unsubscribe()
        fixture.client.settle()
        let entries = fixture.server.requests
        #expect(entries.first == .enter(ChatEntryRequest("room", count: 0)))
        #expect(entries.last == .exit("room"))
    }

    @Test("One open channel under two names is entered once and left with the last of them")
    func twoNames() async throws {
        let fixture = ChatFixture { request in
            if case .enter = request { .success(ScriptedChat.empty) } else { .success(.done) }
        }
        try await fixture.connect()
        let plain = try await fixture.client.channel("room").subscribe()
        let full = try await fixture.client.channel("open:room").subscribe()
        fixture.receive(ChatServerFrames.transient(ChatFixture.message(20_000_000, to: "room", .open).body))
        for await message in plain.messages.prefix(1) { #expect(message.channel == "room") }
        for await message in full.messages.prefix(1) { #expect(message.channel == "open:room") }
        plain.unsubscribe()
        #expect(fixture.server.requests == [.enter(ChatEntryRequest("room", count: 0))])
        full.unsubscribe()
        fixture.client.settle()
        #expect(fixture.server.requests.last == .exit("room"))
    }

    @Test("An open channel that refuses is forgotten; one that bans ends")
    func refusals() async throws {
        let fixture = ChatFixture { request in
            guard case .enter(let entry) = request else { return .success(.done) }
            return entry.channel == "good"
                ? .success(ScriptedChat.empty) : .failure(ChatRequestRefusal(.bannedFromOpenChannel, "Banned."))
        }
        try await fixture.connect()
        let error = await #expect(throws: LifelineError.self) { try await fixture.client.channel("bad").subscribe() }
        #expect(error?.number == 23_409)
        let room = try await fixture.client.channel("good").subscribe()
        let ban = ChatWireEvent.openBan(channel: "good", users: ["ann"], duration: 1, time: 1)
        fixture.receive(ChatServerFrames.transient(ban.body))
        for await _ in room.deliveries {}
        #expect(room.isEnded)
        fixture.loseLink()
        #expect(fixture.server.requests.count == 2)
    }

    @Test("Cancelling the wait for an open channel ends it, and it is left")
    func cancelled() async throws {
        let fixture = ChatFixture { _ in nil }
        try await fixture.connect()
        let channel = fixture.client.channel("room")
        let subscribing = Task { () async throws in try await channel.subscribe() }
        while fixture.server.requests.isEmpty, !Task.isCancelled { await Task.yield() }
        subscribing.cancel()
        let error = await #expect(throws: LifelineError.self) { try await subscribing.value }
        #expect(error?.code == .cancelled)
        fixture.client.settle()
        #expect(fixture.server.requests.last == .exit("room"))
    }

    @Test("A disconnect ends the wait for an open channel, and the next connection does not enter it")
    func disconnectedWhileEntering() async throws {
        let fixture = ChatFixture { _ in nil }
        try await fixture.connect()
        let channel = fixture.client.channel("room")
        let subscribing = Task { () async throws in try await channel.subscribe() }
        while fixture.server.requests.isEmpty, !Task.isCancelled { await Task.yield() }
        await fixture.disconnect()
        let error = await #expect(throws: LifelineError.self) { try await subscribing.value }
        #expect(error?.code == .disconnected)
        try await fixture.connect()
        _ = try await fixture.client.channel("direct:ben").subscribe()
        #expect(fixture.server.requests.count { if case .enter = $0 { true } else { false } } == 1)
    }

    @Test("Presence of an open channel comes from a question and from what follows")
    func presence() async throws {
        let fixture = ChatFixture(presence: true) { request in
            switch request {
            case .enter: .success(ScriptedChat.empty)
            case .openInfo:
                .success(.openInfo(ChatOpenInfo(created: 1, count: 1, members: [ChatOpenMember(user: "ann", entered: 1)])))
            default: .success(.done)
            }
        }
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        while try room.presence.members.isEmpty, !Task.isCancelled { await Task.yield() }
        let changes = try room.presence.changes
        let actions = [ChatWireOpenAction(user: "ben", isJoin: true), ChatWireOpenAction(user: "ann", isJoin: false)]
        let event = ChatWireEvent.openMembers(channel: "room", actions: actions, count: 1, time: 1)
        fixture.receive(ChatServerFrames.transient(event.body))
        var told: [String] = []
        for await change in changes.prefix(2) { told.append("\(change.action) \(change.member.id) \(change.count)") }
        #expect(told == ["join ben 2", "leave ann 1"])
        let direct = try await fixture.client.channel("direct:ben").subscribe()
        #expect(throws: LifelineError.self) { try direct.presence }
    }
}
