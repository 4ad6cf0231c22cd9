import ChatProtocol
import ChatServer
import Identifiers
import ServerStorage
import Testing

@Suite("Groups of chat users (CH-40 to CH-53)")
struct ChatGroupTests {
    typealias Order = @Sendable (inout ChatState, Int64, inout ChatCommit) throws -> Void

    struct Case: Sendable, CustomStringConvertible {
        var description: String
        var code: Int?
        var order: Order
    }

    /// Group `g` of owner `o`, admins `a` and `b`, members `m` and `n`; `x` is a stranger.
    private func script(join: Int = 0, invite: Int = 0, limits: ChatLimits = .init()) throws -> ChatScript {
        var script = ChatScript(limits: limits)
        try script.group("g", owner: "o", ["a", "b", "m", "n"], invite: invite, join: join)
        _ = try script.run { book, now, commit in
            try book.changeAdmins("g", add: ["a", "b"], remove: [], by: .user("o"), at: now, into: &commit)
        }
        return script
    }

    static func create(_ group: ChatDocument.Group, _ users: [Identifier] = []) -> Order {
        { _ = try $0.createGroup(group, users: users, by: .user("x"), at: $1, into: &$2) }
    }
    static func kick(_ user: Identifier, by other: Identifier) -> Order {
        { _ = try $0.kickFromGroup("g", users: [user], by: .user(other), at: $1, into: &$2) }
    }
    static func update(by user: Identifier, _ change: @escaping @Sendable (inout ChatGroupUpdate) -> Void) -> Order {
        { book, now, commit in
            var update = ChatGroupUpdate()
            change(&update)
            _ = try book.updateGroup("g", update, by: .user(user), at: now, into: &commit)
        }
    }
    static func name(_ user: Identifier, by other: Identifier) -> Order {
        { _ = try $0.setMember(user, of: "g", nickname: "nick", extra: nil, by: .user(other), at: $1, into: &$2) }
    }
    static func admins(_ add: [Identifier] = [], _ remove: [Identifier] = [], by user: Identifier = "o") -> Order {
        { _ = try $0.changeAdmins("g", add: add, remove: remove, by: .user(user), at: $1, into: &$2) }
    }

    static let cases: [Case] = [
        Case(description: "create", code: nil, order: create(ChatDocument.Group(id: "new", name: "n", owner: ""), ["u"])),
        Case(description: "create again", code: 25_409, order: create(ChatDocument.Group(id: "g", name: "n", owner: ""))),
        Case(description: "no name", code: 25_423, order: create(ChatDocument.Group(id: "new", name: "", owner: ""))),
        Case(description: "bad id", code: 33_003, order: create(ChatDocument.Group(id: "a\n", name: "n", owner: ""))),
        Case(description: "bad member", code: 33_003, order: create(ChatDocument.Group(id: "new", name: "n", owner: ""), [""])),
        Case(
            description: "long name", code: 25_406,
            order: create(ChatDocument.Group(id: "new", name: String(repeating: "n", count: 257), owner: ""))),
        Case(
            description: "no such permission", code: 33_003,
            order: create(ChatDocument.Group(id: "new", name: "n", owner: "", joinPermission: 4))),
        Case(description: "join", code: nil) { _ = try $0.joinGroup("g", users: ["x"], by: .user("x"), at: $1, into: &$2) },
        Case(description: "join for another", code: 33_003) {
            _ = try $0.joinGroup("g", users: ["y"], by: .user("x"), at: $1, into: &$2)
        },
        Case(description: "join again", code: 25_412) {
            _ = try $0.joinGroup("g", users: ["m"], by: .user("m"), at: $1, into: &$2)
        },
        Case(description: "join nothing", code: 25_410) {
            _ = try $0.joinGroup("none", users: ["x"], by: .user("x"), at: $1, into: &$2)
        },
        Case(description: "quit", code: nil) { _ = try $0.quitGroup("g", users: ["m"], by: .user("m"), at: $1, into: &$2) },
        Case(description: "owner quits", code: 25_417) {
            _ = try $0.quitGroup("g", users: ["o"], by: .user("o"), at: $1, into: &$2)
        },
        Case(description: "stranger quits", code: 25_418) {
            _ = try $0.quitGroup("g", users: ["x"], by: .user("x"), at: $1, into: &$2)
        },
        Case(description: "dismiss", code: nil) { _ = try $0.dismissGroup("g", by: .user("o"), at: $1, into: &$2) },
        Case(description: "admin dismisses", code: 25_405) { _ = try $0.dismissGroup("g", by: .user("a"), at: $1, into: &$2) },
        Case(description: "owner kicks admin", code: nil, order: kick("a", by: "o")),
        Case(description: "admin kicks member", code: nil, order: kick("m", by: "a")),
        Case(description: "admin kicks admin", code: 25_405, order: kick("b", by: "a")),
        Case(description: "admin kicks owner", code: 25_417, order: kick("o", by: "a")),
        Case(description: "member kicks member", code: 25_405, order: kick("n", by: "m")),
        Case(description: "kick oneself", code: 25_405, order: kick("a", by: "a")),
        Case(description: "stranger kicks", code: 25_418, order: kick("m", by: "x")),
        Case(description: "kick stranger", code: 25_418, order: kick("x", by: "o")),
        Case(description: "owner invites", code: nil) {
            _ = try $0.inviteToGroup("g", users: ["x", "m"], by: .user("o"), at: $1, into: &$2)
        },
        Case(description: "admin invites", code: 25_426) {
            _ = try $0.inviteToGroup("g", users: ["x"], by: .user("a"), at: $1, into: &$2)
        },
        Case(description: "invite members", code: 25_412) {
            _ = try $0.inviteToGroup("g", users: ["m"], by: .user("o"), at: $1, into: &$2)
        },
        Case(description: "invite nobody", code: 33_003) {
            _ = try $0.inviteToGroup("g", users: [], by: .user("o"), at: $1, into: &$2)
        },
        Case(description: "transfer", code: nil) {
            _ = try $0.transferGroup("g", to: "m", leaves: true, by: .user("o"), at: $1, into: &$2)
        },
        Case(description: "admin transfers", code: 25_405) {
            _ = try $0.transferGroup("g", to: "a", leaves: false, by: .user("a"), at: $1, into: &$2)
        },
        Case(description: "transfer to a stranger", code: 25_418) {
            _ = try $0.transferGroup("g", to: "x", leaves: false, by: .user("o"), at: $1, into: &$2)
        },
        Case(description: "transfer to oneself", code: 33_003) {
            _ = try $0.transferGroup("g", to: "o", leaves: false, by: .user("o"), at: $1, into: &$2)
        },
        Case(description: "admins", code: nil, order: admins(["m"], ["a"])),
        Case(description: "admins by admin", code: 25_405, order: admins(["m"], by: "a")),
        Case(description: "owner as admin", code: 25_425, order: admins(["o"])),
        Case(description: "stranger as admin", code: 25_418, order: admins(["x"])),
        Case(description: "not an admin", code: 25_420, order: admins([], ["m"])),
        Case(description: "update", code: nil, order: update(by: "a") { $0.name = "new" }),
        Case(description: "member updates", code: 25_405, order: update(by: "m") { $0.name = "new" }),
        Case(description: "stranger updates", code: 25_418, order: update(by: "x") { $0.name = "new" }),
        Case(description: "admin changes permissions", code: 25_404, order: update(by: "a") { $0.joinPermission = 3 }),
        Case(description: "owner changes permissions", code: nil, order: update(by: "o") { $0.joinPermission = 3 }),
        Case(description: "empty name", code: 25_423, order: update(by: "o") { $0.name = "" }),
        Case(description: "own name", code: nil, order: name("m", by: "m")),
        Case(description: "admin names member", code: nil, order: name("m", by: "a")),
        Case(description: "admin names admin", code: 25_405, order: name("b", by: "a")),
        Case(description: "member names member", code: 25_405, order: name("n", by: "m")),
        Case(description: "name a stranger", code: 25_418, order: name("x", by: "o")),
        Case(description: "members for a member", code: nil) { book, _, _ in
            _ = try book.groupMembers(of: "g", by: .user("m"))
        },
        Case(description: "members for a stranger", code: 25_418) { book, _, _ in
            _ = try book.groupMembers(of: "g", by: .user("x"))
        },
        Case(description: "page too large", code: 33_003) { book, _, _ in
            _ = try book.groupMembers(of: "g", limit: 101, by: .user("m"))
        },
        Case(description: "too many groups asked for", code: 25_422) { book, _, _ in
            _ = try book.groupInfo((0..<21).map { "\($0)" })
        },
        Case(description: "mute a stranger", code: 25_418) { try $0.muteInGroup("g", users: ["x"], at: $1, into: &$2) },
    ]

    @Test("Who may do what", arguments: cases)
    func permissions(_ one: Case) throws {
        var script = try script()
        #expect(script.code(one.order) == one.code)
        #expect(script.isInStep)
    }

    /// join, code; the vendor's numbers.
    @Test("Joining depends on the group", arguments: [(0, nil), (1, nil), (2, 25_424), (3, 25_414)] as [(Int, Int?)])
    func join(permission: Int, code: Int?) throws {
        var script = try script(join: permission)
        let found = script.code { book, now, commit in
            _ = try book.joinGroup("g", users: ["x"], by: .user("x"), at: now, into: &commit)
        }
        #expect(found == code)
        let server = script.code { book, now, commit in
            _ = try book.joinGroup("g", users: ["y", "z"], by: .server(), at: now, into: &commit)
        }
        #expect(server == nil)
    }

    @Test("Inviting depends on the group and the role", arguments: [0, 1, 2])
    func invite(permission: Int) throws {
        for (user, least) in [("o", 0), ("a", 1), ("m", 2)] as [(Identifier, Int)] {
            var script = try script(invite: permission)
            let code = script.code { book, now, commit in
                _ = try book.inviteToGroup("g", users: ["x"], by: .user(user), at: now, into: &commit)
            }
            #expect(code == (permission >= least ? nil : 25_426))
        }
    }

    @Test("A change says what happened, to whom, and who is told")
    func told() throws {
        var script = try script()
        let join = try script.run { try $0.joinGroup("g", users: ["x"], by: .user("x"), at: $1, into: &$2) }
        #expect(join.operation == .join && join.operator == "x" && join.memberCount == 6)
        #expect(join.members.map(\.user) == ["x"])
        #expect(Set(join.recipients.users) == ["o", "a", "b", "m", "n", "x"])
        let kick = try script.run { try $0.kickFromGroup("g", users: ["x", "n"], by: .user("a"), at: $1, into: &$2) }
        #expect(kick.members.map(\.user) == ["x", "n"] && kick.memberCount == 4)
        #expect(Set(kick.recipients.users) == ["o", "a", "b", "m", "n", "x"])
        let transfer = try script.run { try $0.transferGroup("g", to: "m", leaves: true, by: .user("o"), at: $1, into: &$2) }
        #expect(transfer.map(\.operation) == [.transfer, .quit])
        #expect(transfer.last?.members.map(\.user) == ["o"])
        #expect(transfer.last?.recipients.users.contains("o") == true)
        #expect(script.book.group("g")?.group.owner == "m")
        let admins = try script.run {
            try $0.changeAdmins("g", add: ["b"], remove: ["a"], by: .user("m"), at: $1, into: &$2)
        }
        #expect(admins.map(\.operation) == [.removeAdmin])
        var update = ChatGroupUpdate()
        update.name = "new"
        update.notice = "hello"
        let info = try script.run { try $0.updateGroup("g", update, by: .user("m"), at: $1, into: &$2) }
        #expect(info?.changed == ["name", "notice"])
        #expect(try script.run { try $0.updateGroup("g", update, by: .user("m"), at: $1, into: &$2) } == nil)
        let dismiss = try script.run { try $0.dismissGroup("g", by: .user("m"), at: $1, into: &$2) }
        #expect(Set(dismiss.recipients.users) == ["m", "a", "b"])
        #expect(script.book.group("g") == nil)
        #expect(script.documents.isEmpty)
        #expect(script.isInStep)
    }

    @Test("CH-53: A mute does not end by quitting and joining again; it ends by its time, by unmuting, or with the group")
    func restrictionsEnd() throws {
        var script = try script()
        try script.run { try $0.muteInGroup("g", users: ["m"], minutes: 10, at: $1, into: &$2) }
        try script.run { try $0.muteInGroup("g", users: ["n"], at: $1, into: &$2) }
        try script.run { try $0.allowInGroup("g", users: ["m"], into: &$2) }
        func speaks(_ user: Identifier) -> Int? {
            script.code { book, now, _ in
                _ = try book.admitEdit(by: .user(user), of: user, sent: now, contentBytes: 1, in: .group, "g", at: now)
            }
        }
        _ = try script.run { try $0.quitGroup("g", users: ["m"], by: .user("m"), at: $1, into: &$2) }
        #expect(try script.book.allowedInGroup("g", at: script.now).isEmpty, "Permission to speak ends with the membership")
        _ = try script.run { try $0.joinGroup("g", users: ["m"], by: .user("m"), at: $1, into: &$2) }
        _ = try script.run { try $0.kickFromGroup("g", users: ["n"], by: .user("o"), at: $1, into: &$2) }
        #expect(try script.book.mutedInGroup("g", at: script.now).map(\.user) == ["m", "n"])
        _ = try script.run { try $0.joinGroup("g", users: ["n"], by: .user("n"), at: $1, into: &$2) }
        #expect(speaks("m") == 22_408)
        #expect(speaks("n") == 22_408)
        _ = script.pass(600_000)
        #expect(speaks("m") == nil)
        _ = try script.run { try $0.quitGroup("g", users: ["n"], by: .user("n"), at: $1, into: &$2) }
        try script.run { try $0.unmuteInGroup("g", users: ["n"], into: &$2) }
        _ = try script.run { try $0.joinGroup("g", users: ["n"], by: .user("n"), at: $1, into: &$2) }
        #expect(speaks("n") == nil)
        try script.run { try $0.muteInGroup("g", users: ["n"], at: $1, into: &$2) }
        _ = try script.run { try $0.dismissGroup("g", by: .user("o"), at: $1, into: &$2) }
        try script.group("g", owner: "o", ["n"])
        #expect(try script.book.mutedInGroup("g", at: script.now).isEmpty)
        #expect(script.isInStep)
    }

    // Proof of CH-44, CH-50.
    @Test("Groups, admins and calls have limits")
    func limits() throws {
        var limits = ChatLimits()
        limits.groupMembers = 6
        limits.groupAdmins = 2
        var script = try script(limits: limits)
        #expect(script.code { _ = try $0.inviteToGroup("g", users: ["x", "y"], by: .user("o"), at: $1, into: &$2) } == 25_411)
        #expect(script.code { _ = try $0.inviteToGroup("g", users: ["x"], by: .user("o"), at: $1, into: &$2) } == nil)
        #expect(script.code { _ = try $0.joinGroup("g", users: ["y"], by: .user("y"), at: $1, into: &$2) } == 25_411)
        #expect(
            script.code(Self.create(ChatDocument.Group(id: "h", name: "n", owner: ""), ["1", "2", "3", "4", "5", "6"])) == 25_411)
        #expect(script.code(Self.admins(["m"])) == 25_419)
        #expect(script.code(Self.admins(["m"], ["a"])) == nil)
        let many: [Identifier] = (0..<101).map { "u\($0)" }
        #expect(script.code { _ = try $0.kickFromGroup("g", users: many, by: .user("o"), at: $1, into: &$2) } == 33_003)
    }

    @Test("Members and groups come in pages, by id")
    func pages() throws {
        var script = try script()
        var seen: [Identifier] = []
        while true {
            let page = try script.book.groupMembers(of: "g", after: seen.last, limit: 2, by: .user("m"))
            seen += page.members.map(\.user)
            if !page.hasMore { break }
        }
        #expect(seen == ["a", "b", "m", "n", "o"])
        #expect(try script.book.groupMembers(of: "g", role: .admin, by: .server()).members.map(\.user) == ["a", "b"])
        #expect(try script.book.groupMembers(of: "g", users: ["n", "x"], by: .user("m")).members.map(\.user) == ["n"])
        try script.group("h", owner: "m")
        #expect(try script.book.groups(of: "m").groups.map(\.group.id) == ["g", "h"])
        #expect(try script.book.groups(of: "m", role: .owner).groups.map(\.group.id) == ["h"])
        let first = try script.book.groups(of: "m", limit: 1)
        #expect(first.hasMore && first.groups.first?.memberCount == 5)
        #expect(try script.book.groupInfo(["g", "none", "h"]).map(\.group.id) == ["g", "h"])
    }
}
