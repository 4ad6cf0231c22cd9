import Testing

@testable import Lifeline

@Suite("Members below a wildcard (LL-57)")
struct WildcardMembersTests {
    @Test("A user is a member as long as the user is on one of the channels")
    func union() {
        var members = WildcardMembers()
        let joined = [
            members.joined("ann", on: "a.b", info: nil), members.joined("ann", on: "a.c", info: "1"),
            members.joined("ben", on: "a.b", info: nil), members.joined("ann", on: "a.b", info: nil),
        ]
        #expect(
            joined == [Member(id: "ann"), Member(id: "ann", info: "1"), Member(id: "ben"), Member(id: "ann", info: "1")])
        #expect(members.members.map(\.id) == ["ann", "ben"])
        var left = [members.left("ann", "a.b"), members.left("ann", "a.b"), members.left("cem", "a.b")]
        #expect(left == [false, false, false] && members.contains("ann"))
        left = [members.left("ann", "a.c"), members.left("ann", "a.c")]
        #expect(left == [true, false] && members.members.map(\.id) == ["ben"])
        _ = members.joined("ann", on: "a.c", info: nil)
        #expect(members.members == [Member(id: "ben"), Member(id: "ann")])
    }

    @Test("Names that only look the same are different users and channels")
    func spellings() {
        var members = WildcardMembers()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        _ = members.joined(composed, on: "a.b", info: nil)
        #expect(!members.contains(decomposed))
        let left = [
            members.left(composed, "a.\(decomposed)"), members.left(decomposed, "a.b"), members.left(composed, "a.b"),
        ]
        #expect(left == [false, false, true])
    }
}
