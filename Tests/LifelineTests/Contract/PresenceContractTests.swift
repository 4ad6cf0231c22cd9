import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: who is there", .serialized, .timeLimit(.minutes(2)))
struct PresenceContractTests {
    @Test("Joins and leaves are told, or presence is unsupported", arguments: ServiceUnderTest.allCases)
    func changes(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            guard kind.hasPresence else {
                let error = #expect(throws: LifelineError.self) { _ = try room.presence }
                #expect(error == .unsupported(feature: "presence on channel \(kind.channel)", service: kind.serviceName))
                return
            }
            let presence = try room.presence
            // The service may tell of ann herself late.
            var changes = presence.changes.makeAsyncIterator()
            let (_, other) = try await stage.joined("ben")
            var joined: PresenceChange?
            while joined?.member.id != "ben", let next = await changes.next() { joined = next }
            #expect(joined?.action == .join)
            #expect(joined?.channel == kind.channel)
            #expect(joined?.count == 2)
            #expect(presence.members.map(\.id).sorted() == ["ann", "ben"])
            try await stage.settle(polls: 2)
            other.unsubscribe()
            var left: PresenceChange?
            while left?.action != .leave, let next = await changes.next() { left = next }
            #expect(left?.member.id == "ben")
            #expect(left?.count == 1)
            #expect(presence.members.map(\.id) == ["ann"])
            room.unsubscribe()
            #expect(await changes.next() == nil)
            #expect(presence.members.isEmpty)
        }
    }

    @Test(
        "LL-110: the end of one room of two is no leave, and a later room knows who is there",
        arguments: ServiceUnderTest.allCases.filter(\.hasPresence))
    func rooms(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let (ben, talk) = try await stage.joined("ben")
            let presence = try talk.presence
            _ = await presence.memberLists.first { $0.count == 2 }
            let later = try await ben.channel(kind.channel).subscribe()
            #expect(try later.presence.members == presence.members)
            let changes = try room.presence.changes
            talk.unsubscribe()
            #expect(presence.members.isEmpty)
            try await later.tick(1)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
            #expect(try later.presence.members.map(\.id).sorted() == ["ann", "ben"])
            try await stage.settle(polls: 2)
            later.unsubscribe()
            let left = await changes.first { $0.action == .leave }
            #expect(left?.member.id == "ben")
        }
    }

    @Test(
        "LL-112: what a client changes of its own data is seen by itself, by others, and by those who come later",
        arguments: ServiceUnderTest.allCases.filter(\.changesOwnPresence))
    func ownData(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann", relayed: true, timing: .fast)
            let (_, other) = try await stage.joined("ben")
            let changes = try other.presence.changes
            try await room.presence.setOwnData(["mood": "busy"])
            func isBusy(_ member: Member) -> Bool {
                member.id == "ann" && (try? member.decodeInfo(as: [String: String].self)) == ["mood": "busy"]
            }
            // The question who is there may have been answered late, so that a join tells it.
            #expect(await changes.first { isBusy($0.member) } != nil)
            #expect(try other.presence.members.contains(where: isBusy))
            #expect(await (try room.presence.memberLists).first { $0.contains(where: isBusy) } != nil)
            let statuses = ann.statuses
            stage.relay.refuse()
            _ = await statuses.first { $0.phase == .waiting }
            let events = ann.events
            stage.relay.pass()
            _ = await events.first { if case .subscribed(_, isRenewal: true, _) = $0 { true } else { false } }
            let (_, late) = try await stage.joined("cat")
            #expect(await (try late.presence.memberLists).first { $0.contains(where: isBusy) } != nil)
            // An update and nothing else: nobody came or went for it.
            try await room.presence.setOwnData(json: #"{"mood":"free"}"#)
            let next = await changes.first { $0.member.id == "ann" }
            #expect(next?.action == .update && next?.member.info == #"{"mood":"free"}"#)
        }
    }

    @Test("LL-25: who is there can be asked without a subscription, or that is unsupported", arguments: ServiceUnderTest.allCases)
    func members(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let cat = try await stage.client("cat")
            // Chat is asked over the connection.
            try await cat.connect(timeout: .seconds(30))
            let channel = cat.channel(kind.channel)
            guard kind.tellsMembers else {
                let error = await #expect(throws: LifelineError.self) { _ = try await channel.members() }
                #expect(error == .unsupported(feature: "presence on channel \(kind.channel)", service: kind.serviceName))
                return
            }
            // The members of a group are those of its list, there or not.
            if kind == .chatGroup {
                #expect(try await channel.members().map(\.id).sorted() == ["ann", "ben", "cat"])
                return
            }
            #expect(try await channel.members().map(\.id) == ["ann"])
            room.unsubscribe()
            // The channel's own members learn of it in some other moment than ann.
            while try await !channel.members().isEmpty { await Task.yield() }
        }
    }
}
