import ChatProtocol
import ChatServer
import Identifiers
import ServerStorage
import Testing

@Suite("What users can make grow in chat has bounds (CH-104 to CH-108)")
struct ChatBoundsTests {
    private func script(_ change: (inout ChatLimits) -> Void) -> ChatScript {
        var limits = ChatLimits()
        change(&limits)
        return ChatScript(limits: limits)
    }

    @Test("CH-104: Users are bounded, and so are the values of one; those who are known go on")
    func users() throws {
        var script = script {
            $0.users = 2
            $0.userBytes = 100
        }
        try script.issue("t1", to: "a")
        try script.issue("t2", to: "b")
        try script.issue("t3", to: "a")
        #expect(
            script.code { try $0.issueToken(hash: "t4", to: "c", name: nil, avatar: nil, at: $1, into: &$2) } == 33_003)
        #expect(script.code { _ = try $0.deactivate(["c"], at: $1, into: &$2) } == 33_003)
        #expect(script.code { _ = try $0.expireTokens(of: ["a", "c"], issuedBefore: 1, at: $1, into: &$2) } == 33_003)
        #expect(script.code { _ = try $0.deactivate(["a", "b"], at: $1, into: &$2) } == nil)
        func set(_ extra: [String: String]) -> Int? {
            script.code { try $0.updateUser("a", name: nil, avatar: nil, extra: extra, at: $1, into: &$2) }
        }
        #expect(set(["key": String(repeating: "x", count: 97)]) == nil)
        #expect(set(["key": String(repeating: "x", count: 98)]) == 33_003)
    }

    @Test("CH-105: Ids that nobody has get no more inboxes than is bearable; users and known receivers are written to")
    func inboxes() throws {
        var script = script { $0.unregisteredInboxes = 3 }
        try script.issue("t", to: "m")
        let session = try script.signIn("m").id
        func send(_ receiver: Identifier) throws(ChatRefusal) {
            let draft = ChatDraft(kind: .direct, to: receiver, contentBytes: 1)
            _ = script.book.place(try script.book.admit(draft, from: "m", session: session, at: script.now).recipients)
        }
        for number in 0..<4 { try send("nobody \(number)") }
        do {
            try send("one too many")
            Issue.record("not refused")
        } catch { #expect(error.code == 24_366) }
        try send("nobody 3")
        try script.issue("t2", to: "registered")
        try send("registered")
        #expect(
            script.code {
                _ = try $0.createGroup(
                    ChatDocument.Group(id: "g", name: "n", owner: ""), users: ["x", "y"], by: .user("m"), at: $1, into: &$2)
            } == 24_366)
        try script.group("g", owner: "m", ["nobody 1"])
        #expect(script.code { _ = try $0.inviteToGroup("g", users: ["x", "y"], by: .user("m"), at: $1, into: &$2) } == 24_366)
    }

    @Test("CH-106: Groups are bounded for a user and for the application, and their texts together")
    func groups() throws {
        var script = script {
            $0.groups = 3
            $0.groupsPerUser = 2
            $0.groupBytes = 100
        }
        func create(_ id: Identifier, by actor: ChatActor, _ users: [Identifier] = [], notice: Int = 0) -> Int? {
            script.code {
                let group = ChatDocument.Group(id: id, name: "n", owner: "", notice: String(repeating: "x", count: notice))
                _ = try $0.createGroup(group, users: users, by: actor, at: $1, into: &$2)
            }
        }
        #expect(create("long", by: .user("a"), notice: 100) == 25_406)
        #expect(create("1", by: .user("a"), notice: 99) == nil)
        #expect(create("2", by: .user("a")) == nil)
        #expect(create("3", by: .user("a")) == 33_003)
        #expect(create("3", by: .user("b"), ["a"]) == 33_003)
        #expect(script.code { _ = try $0.joinGroup("1", users: ["b"], by: .user("b"), at: $1, into: &$2) } == nil)
        #expect(create("3", by: .server(as: "a")) == nil, "The application's server may put a user in more")
        #expect(script.code { _ = try $0.inviteToGroup("3", users: ["b"], by: .user("a"), at: $1, into: &$2) } == nil)
        #expect(script.code { _ = try $0.joinGroup("2", users: ["b"], by: .user("b"), at: $1, into: &$2) } == 33_003)
        #expect(create("4", by: .server(as: "c")) == 33_003)
        var update = ChatGroupUpdate()
        update.extra = ["k": String(repeating: "x", count: 100)]
        #expect(script.code { _ = try $0.updateGroup("2", update, by: .user("a"), at: $1, into: &$2) } == 25_406)
    }

    @Test("CH-107: Open channels are bounded for a user and for the application, and their pairs together")
    func openChannels() throws {
        var script = script {
            $0.openChannels = 3
            $0.openChannelsPerUser = 2
            $0.openEntryBytes = 20
        }
        let (one, two) = (try script.signIn("a"), try script.signIn("b"))
        func enter(_ id: Identifier, _ session: ChatSessionID, _ user: Identifier) -> Int? {
            script.code { _ = try $0.enterOpenChannel(id, session: session, user: user, at: $1, into: &$2) }
        }
        #expect(enter("1", one, "a") == nil)
        #expect(enter("2", one, "a") == nil)
        #expect(enter("3", one, "a") == 33_003)
        #expect(enter("2", one, "a") == nil, "Entering again is nothing new")
        #expect(enter("3", two, "b") == nil)
        #expect(enter("4", two, "b") == 33_003)
        #expect(enter("1", two, "b") == nil)
        #expect(script.code { _ = try $0.createOpenChannel("4", at: $1, into: &$2) } == 33_003)
        #expect(script.code { _ = try $0.createOpenChannel("3", at: $1, into: &$2) } == nil)
        func set(_ pairs: [Identifier: String]) -> Int? {
            script.code {
                _ = try $0.setOpenEntries(
                    pairs, in: "1", overwrites: true, areDeletedWhenLeft: false, by: .user("a"), at: $1, into: &$2)
            }
        }
        #expect(set(["k": "123456789", "l": "12345678"]) == nil)
        #expect(set(["m": "1"]) == 23_423)
        #expect(set(["k": "1234567890"]) == nil, "What is replaced does not count")
        #expect(set(["k": "12345678901"]) == 23_423)
    }

    @Test("CH-108: One user has a share of the application's open channels, and keeps it over a restart")
    func shareOfOpenChannels() throws {
        var script = script { $0.openChannelsMadePerUser = 2 }
        let (one, two) = (try script.signIn("a"), try script.signIn("b"))
        func enter(_ id: Identifier, _ session: ChatSessionID, _ user: Identifier) -> Int? {
            script.code { _ = try $0.enterOpenChannel(id, session: session, user: user, at: $1, into: &$2) }
        }
        func leave(_ id: Identifier) throws {
            _ = try script.run { try $0.exitOpenChannel(id, session: one, user: "a", at: $1, into: &$2) }
        }
        for id in ["1", "2"] as [Identifier] {
            #expect(enter(id, one, "a") == nil)
            try leave(id)
        }
        #expect(enter("3", one, "a") == 33_003)
        #expect(enter("3", two, "b") == nil, "Others have shares of their own")
        #expect(enter("3", one, "a") == nil, "What exists is entered")
        #expect(enter("1", one, "a") == nil)
        try leave("1")
        script.book = script.restored()
        #expect(enter("4", one, "a") == 33_003)
        try script.run { try $0.setLifetime(nil, of: "1", into: &$2) }
        #expect(enter("4", one, "a") == nil, "What the application's server takes over is the user's no more")
        #expect(enter("5", one, "a") == 33_003)
        _ = try script.run { try $0.destroyOpenChannel("2", at: $1, into: &$2) }
        #expect(enter("5", one, "a") == nil)
        #expect(script.isInStep)
    }

    @Test("CH-108: One user has a share of the application's groups, also when others own them by now")
    func shareOfGroups() throws {
        var script = script { $0.groupsMadePerUser = 2 }
        func create(_ id: Identifier, by actor: ChatActor) -> Int? {
            script.code {
                _ = try $0.createGroup(
                    ChatDocument.Group(id: id, name: "n", owner: ""), users: ["b"], by: actor, at: $1, into: &$2)
            }
        }
        for id in ["1", "2"] as [Identifier] {
            #expect(create(id, by: .user("a")) == nil)
            _ = try script.run { try $0.transferGroup(id, to: "b", leaves: true, by: .user("a"), at: $1, into: &$2) }
        }
        #expect(create("3", by: .user("a")) == 33_003)
        #expect(create("3", by: .server(as: "a")) == nil)
        #expect(create("4", by: .user("b")) == nil)
        script.book = script.restored()
        #expect(create("5", by: .user("a")) == 33_003)
        _ = try script.run { try $0.dismissGroup("1", by: .user("b"), at: $1, into: &$2) }
        #expect(create("5", by: .user("a")) == nil)
    }

    @Test("CH-108: One user has a share of the inboxes of ids that nobody has")
    func shareOfInboxes() throws {
        var script = script { $0.unregisteredInboxesPerUser = 2 }
        var sessions: [Identifier: UInt64] = [:]
        for user in ["a", "b"] as [Identifier] {
            try script.issue("t-\(user)", to: user)
            sessions[user] = try script.signIn(user).id
        }
        func send(_ receiver: Identifier, by user: Identifier, isStatus: Bool = false) -> Int? {
            let draft = ChatDraft(kind: .direct, to: receiver, contentBytes: 1, isStatus: isStatus)
            do {
                let admission = try script.book.admit(draft, from: user, session: sessions[user] ?? 0, at: script.now)
                if !isStatus { _ = script.book.place(admission.recipients) }
                return nil
            } catch { return error.code }
        }
        for number in 0..<9 { #expect(send("nobody \(number)", by: "a", isStatus: true) == nil, "It is kept for nobody") }
        #expect(send("1", by: "a") == nil)
        #expect(send("1", by: "a") == nil)
        #expect(send("2", by: "a") == nil)
        #expect(send("3", by: "a") == 24_366)
        #expect(send("2", by: "a") == nil && send("b", by: "a") == nil)
        let invites: (inout ChatState, Int64, inout ChatCommit) throws -> Void = {
            _ = try $0.createGroup(
                ChatDocument.Group(id: "g", name: "n", owner: ""), users: ["4"], by: .user("a"), at: $1, into: &$2)
        }
        #expect(script.code(invites) == 24_366)
        #expect(send("3", by: "b") == nil)
        try script.issue("t-1", to: "1")
        #expect(send("5", by: "a") == nil, "Who has registered since counts no more")
        #expect(send("6", by: "a") == 24_366)
    }

    @Test("CH-25, CH-108: One sender has a share of the client ids that are remembered")
    func shareOfRepetitions() {
        var script = ChatScript()
        let start: UInt64 = 17_000_000_000_000_000
        script.book.noteSent("first", by: "other", id: start, sequence: 1)
        for number in 1...10_002 as ClosedRange<UInt64> {
            script.book.noteSent(Identifier("\(number)"), by: "busy", id: start + number, sequence: nil)
        }
        #expect(script.book.repetition(of: "2", by: "busy") == nil)
        #expect(script.book.repetition(of: "3", by: "busy")?.id == start + 3)
        #expect(script.book.repetition(of: "10002", by: "busy")?.id == start + 10_002)
        #expect(script.book.repetition(of: "first", by: "other")?.id == start)
        script.book.forgetSent("3", by: "busy", id: start + 3)
        script.book.noteSent("last", by: "busy", id: start + 20_000, sequence: nil)
        #expect(script.book.repetition(of: "4", by: "busy") != nil)
        #expect(script.book.repetition(of: "3", by: "busy") == nil)
    }

    @Test("CH-100: What documents call a channel is divided at the byte, whatever the id begins with")
    func scopes() throws {
        for id in ["\u{301}a", ":", "a:b", "\u{212A}"] as [Identifier] {
            var script = ChatScript()
            _ = try script.run { try $0.set(.open, channel: id, isPinned: true, level: nil, of: "u", into: &$2) }
            _ = try script.run { try $0.createOpenChannel(id, at: $1, into: &$2) }
            _ = try script.run { try $0.muteInOpenChannel(id, users: ["u"], at: $1, into: &$2) }
            #expect(script.book.settings(of: "u").first?.target?.id == id)
            let muted = try script.restored().restricted(.muted, inOpenChannel: id, at: script.now)
            #expect(muted.map(\.user) == ["u"])
        }
    }
}
