import Testing

@testable import Lifeline

@Suite("Presence")
struct PresenceTests {
    private let ann = Member(id: "ann")
    private let ben = Member(id: "ben")
    private let cat = Member(id: "cat")

    @Test("LL-9: a replaced list tells the difference: leaves, then joins and updates, each with the count after it")
    func replaceTellsDifference() {
        var list = MemberList()
        #expect(told(list.replace(with: [ann, ben], in: "c")) == ["join ann 1", "join ben 2"])
        #expect(told(list.replace(with: [ann, ben], in: "c")) == [])
        let newBen = Member(id: "ben", info: #"{"name":"B"}"#)
        #expect(told(list.replace(with: [newBen, cat], in: "c")) == ["leave ann 1", "update ben 1", "join cat 2"])
        #expect(list.members == [newBen, cat])
    }

    @Test("Repeated joins and leaves of strangers change nothing")
    func repeatsChangeNothing() {
        var list = MemberList()
        #expect(list.join(ann, in: "c") != nil)
        #expect(list.join(ann, in: "c") == nil)
        #expect(list.leave("ben", in: "c") == nil)
        #expect(list.leave("ann", in: "c")?.count == 0)
        #expect(list.leave("ann", in: "c") == nil)
    }

    @Test("Two spellings of an id that Unicode holds for equivalent are two members (HB-11)")
    func spellings() {
        var list = MemberList()
        let (plain, kelvin) = (Member(id: "K"), Member(id: "\u{212A}"))
        #expect(list.join(plain, in: "c")?.count == 1)
        #expect(list.join(kelvin, in: "c")?.count == 2)
        #expect(list.leave("\u{212A}", in: "c")?.count == 1)
        #expect(list.contains("K") && !list.contains("\u{212A}"))
        var roster = ChannelRoster()
        roster.asked(1)
        #expect(roster.answered([plain, kelvin]).count == 2)
        roster.left("\u{212A}")
        #expect(roster.count == 1)
    }

    @Test("LL-146: fifty thousand members are replaced, and leave one by one, in no time", .timeLimit(.minutes(1)))
    func manyMembers() {
        let first = (0..<50_000).map { Member(id: "a\($0)") }
        let second = (0..<50_000).map { Member(id: "b\($0)") }
        var list = MemberList()
        _ = list.replace(with: first, in: "c")
        #expect(list.replace(with: second, in: "c").count == 100_000)
        #expect(list.members == second)
        for member in second.dropLast(2) { _ = list.leave(member.id, in: "c") }
        #expect(list.members == Array(second.suffix(2)))
        #expect(list.join(first[0], in: "c")?.count == 3)
        #expect(list.leave(second[49_998].id, in: "c")?.count == 2)
        #expect(list.members == [second[49_999], first[0]])
        var roster = ChannelRoster()
        roster.asked(1)
        for member in first { _ = roster.joined(member.id, info: nil) }
        for member in first.dropFirst() { roster.left(member.id) }
        #expect(roster.answered(second) == second + [first[0]])
        var below = WildcardMembers()
        for member in first { _ = below.joined(member.id, on: "x.1", info: nil) }
        for member in first.dropLast() { _ = below.left(member.id, "x.1") }
        _ = below.joined("new", on: "x.1", info: nil)
        #expect(below.members.map(\.id) == ["a49999", "new"])
    }

    @Test("LL-9: after a reconnect only the difference is told")
    func differenceAfterReconnect() async throws {
        let (client, adapter) = scriptedClient(members: [ann, ben])
        let room = try await client.channel("presence-x").subscribe()
        let presence = try room.presence
        #expect(presence.members == [ann, ben])
        let changes = presence.changes
        adapter.confirm("presence-x", members: [ben, cat], isRenewal: true)
        adapter.tell(.joined(channel: "presence-x", ann))
        adapter.tell(.left(channel: "presence-x", memberID: "cat"))
        #expect(await told(changes, 4) == ["leave ann 1", "join cat 2", "join ann 3", "leave cat 2"])
        #expect(presence.members == [ben, ann])
    }

    @Test("LL-10: a slow consumer loses detail but not the truth")
    func slowConsumer() async throws {
        let (client, adapter) = scriptedClient(backlog: 2, members: [ann])
        let presence = try await client.channel("presence-x").subscribe().presence
        let changes = presence.changes
        adapter.tell(.joined(channel: "presence-x", ben))
        for _ in 0..<3 {
            adapter.tell(.left(channel: "presence-x", memberID: "ben"))
            adapter.tell(.joined(channel: "presence-x", ben))
        }
        adapter.tell(.joined(channel: "presence-x", cat))
        adapter.tell(.left(channel: "presence-x", memberID: "ann"))
        // The first two came through; the rest is one difference.
        #expect(await told(changes, 5) == ["join ben 2", "leave ben 1", "leave ann 0", "join ben 1", "join cat 2"])
    }

    @Test("LL-34: a later loop over changes knows what an earlier one has told")
    func secondLoop() async throws {
        let (client, adapter) = scriptedClient(backlog: 2, members: [ann])
        let changes = try await client.channel("presence-x").subscribe().presence.changes
        adapter.tell(.joined(channel: "presence-x", ben))
        #expect(await told(changes, 1) == ["join ben 2"])
        adapter.tell(.left(channel: "presence-x", memberID: "ben"))
        adapter.tell(.joined(channel: "presence-x", cat))
        // Both come as a difference, which one loop leaves half told.
        adapter.tell(.left(channel: "presence-x", memberID: "ann"))
        adapter.tell(.joined(channel: "presence-x", ben))
        #expect(await told(changes, 3) == ["leave ben 1", "join cat 2", "leave ann 1"])
        #expect(await told(changes, 1) == ["join ben 2"])
    }

    private func told(_ changes: [PresenceChange]) -> [String] {
        changes.map { "\($0.action) \($0.member.id) \($0.count)" }
    }

    private func told(_ changes: PresenceChanges, _ count: Int) async -> [String] {
        var seen: [PresenceChange] = []
        for await change in changes.prefix(count) { seen.append(change) }
        return told(seen)
    }
}
