import Testing

@testable import Lifeline

@Suite("Members of a group (LL-118)")
struct GroupRosterTests {
    private func channel(_ name: String, _ ids: String...) -> GroupRoster.Channel {
        GroupRoster.Channel(name: name, members: ids.map { Member(id: $0) })
    }

    @Test("LL-118: the answer is everybody once, and what happened since the question is applied to it")
    func answer() {
        var roster = GroupRoster()
        roster.asked(1)
        _ = roster.joined("cem", on: "a", info: "1")
        var hasLeft = roster.left("ben", "b")
        #expect(!hasLeft && roster.question == 1)
        let present = roster.answered([channel("a", "ann", "ben"), channel("b", "ann", "ben", "dan")])
        #expect(present == [Member(id: "ann"), Member(id: "ben"), Member(id: "dan"), Member(id: "cem", info: "1")])
        #expect(roster.question == nil && roster.count(on: "a") == 3 && roster.count(on: "b") == 2)
        hasLeft = roster.left("ben", "a")
        #expect(hasLeft)
        hasLeft = roster.left("ann", "a")
        #expect(!hasLeft && roster.knows("a") && !roster.knows("c"))
    }

    @Test("LL-118: a later answer takes the place of the earlier one, and a failed question changes nothing")
    func again() {
        var roster = GroupRoster()
        roster.asked(1)
        _ = roster.answered([channel("a", "ann")])
        roster.asked(2)
        _ = roster.joined("ben", on: "a", info: nil)
        roster.failed()
        #expect(roster.question == nil && roster.count(on: "a") == 2)
        roster.asked(3)
        let present = roster.answered([channel("b", "cem")])
        #expect(present == [Member(id: "cem")] && !roster.knows("a"))
    }
}
