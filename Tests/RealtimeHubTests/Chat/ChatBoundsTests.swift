import Identifiers
import RealtimeHub
import Testing

@Suite("What users can make grow in chat has bounds (CH-104 to CH-107)")
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
                    ChatGroup(id: "g", name: "n", owner: ""), users: ["x", "y"], by: .user("m"), at: $1, into: &$2)
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
                let group = ChatGroup(id: id, name: "n", owner: "", notice: String(repeating: "x", count: notice))
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
        func enter(_ id: Identifier, _ session: ChatSession, _ user: Identifier) -> Int? {
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
