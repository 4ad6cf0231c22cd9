import ChatProtocol
import ChatServer
import Identifiers
import ServerStorage
import Testing

@Suite("Who may say what to whom (CH-30 to CH-39)")
struct ChatSendingTests {
    /// A group `g` of owner `o`, admin `a`, members `m` and `n`; an open channel `r` with `o` and `m` in it; everybody signed in.
    private func script(
        syncsDevices: Bool = false, recallsOwnOnly: Bool = false
    ) throws -> (ChatScript, [Identifier: ChatSessionID]) {
        var script = ChatScript(syncsDevices: syncsDevices, recallsOwnOnly: recallsOwnOnly)
        try script.group("g", owner: "o", ["a", "m", "n"])
        _ = try script.run { book, now, commit in
            try book.changeAdmins("g", add: ["a"], remove: [], by: .user("o"), at: now, into: &commit)
        }
        var sessions: [Identifier: ChatSessionID] = [:]
        for (number, user) in (["o", "a", "m", "n", "x"] as [Identifier]).enumerated() {
            sessions[user] = try script.signIn(user, eventLoopID: number % 2)
        }
        for user in ["o", "m"] as [Identifier] { _ = try script.enter("r", try #require(sessions[user]), user) }
        return (script, sessions)
    }

    @Test("A message goes to the others, and to the sender where devices are kept in step", arguments: [false, true])
    func recipients(syncs: Bool) throws {
        var (script, sessions) = try script(syncsDevices: syncs)
        let session = try #require(sessions["m"]).id
        func admit(_ kind: ChatKind, _ to: Identifier, _ users: [Identifier]? = nil) throws -> ChatAdmission {
            try script.book.admit(
                ChatDraft(kind: kind, to: to, users: users, contentBytes: 1), from: "m", session: session, at: script.now)
        }
        func reached(_ admission: ChatAdmission) -> Set<Identifier> {
            Set(admission.recipients.users).subtracting([admission.recipients.skipped].compactMap(\.self))
        }
        let own: Set<Identifier> = syncs ? ["m"] : []
        let direct = try admit(.direct, "nobody yet")
        #expect(reached(direct) == own.union(["nobody yet"]))
        #expect(direct.conversation == ChatConversation.key(.direct, of: "nobody yet", and: "m"))
        #expect(direct.recipients.others == 1)
        let group = try admit(.group, "g")
        #expect(reached(group) == own.union(["o", "a", "n"]))
        #expect(group.conversation == "group:g")
        #expect(group.recipients.others == 3)
        let chosen = try admit(.group, "g", ["n", "n", "m", "stranger"])
        #expect(reached(chosen) == own.union(["n"]))
        #expect(chosen.recipients.others == 1)
        let open = try admit(.open, "r")
        #expect(reached(open).isEmpty)
        #expect(Array(open.eventLoopIDs) == [0])
        #expect(open.recipients.others == 2)
        let toOneself = try admit(.direct, "m")
        #expect(reached(toOneself) == ["m"])
        #expect(script.book.place(toOneself.recipients).count == 1)
    }

    @Test("What is not to be kept is in no history")
    func history() throws {
        var (script, sessions) = try script()
        let session = try #require(sessions["m"]).id
        for draft in [
            ChatDraft(kind: .direct, to: "x", contentBytes: 1, isPersisted: false),
            ChatDraft(kind: .direct, to: "x", contentBytes: 1, isStatus: true),
            ChatDraft(kind: .open, to: "r", contentBytes: 1, isPersisted: false),
        ] {
            #expect(try script.book.admit(draft, from: "m", session: session, at: script.now).conversation == nil)
        }
    }

    struct Refused: Sendable, CustomStringConvertible {
        var description: String
        var code: Int?
        var kind: ChatKind
        var to: Identifier
        var sender: Identifier = "m"
        var order: @Sendable (inout ChatState, Int64, inout ChatCommit) throws -> Void = { _, _, _ in }
    }

    static let refusals: [Refused] = [
        Refused(description: "blocked", code: 405, kind: .direct, to: "x") { try $0.block(["m"], by: "x", into: &$2) },
        Refused(description: "blocking", code: nil, kind: .direct, to: "x") { try $0.block(["x"], by: "m", into: &$2) },
        Refused(description: "unblocked", code: nil, kind: .direct, to: "x") {
            try $0.block(["m"], by: "x", into: &$2)
            try $0.unblock(["m"], by: "x", into: &$2)
        },
        Refused(description: "muted in all direct conversations", code: 20_106, kind: .direct, to: "x") {
            _ = try $0.mute(["m"], in: .direct, at: $1, into: &$2)
        },
        Refused(description: "muted elsewhere", code: nil, kind: .direct, to: "x") {
            _ = try $0.mute(["m"], in: .group, at: $1, into: &$2)
        },
        Refused(description: "system", code: 33_003, kind: .system, to: "x"),
        Refused(description: "no receiver", code: 33_003, kind: .direct, to: ""),
        Refused(description: "no group", code: 25_410, kind: .group, to: "none"),
        Refused(description: "not a member", code: 22_406, kind: .group, to: "g", sender: "x"),
        Refused(description: "muted in the group", code: 22_408, kind: .group, to: "g") {
            try $0.muteInGroup("g", users: ["m"], minutes: 1, at: $1, into: &$2)
        },
        Refused(description: "muted in the group long ago", code: nil, kind: .group, to: "g") {
            try $0.muteInGroup("g", users: ["m"], minutes: 1, at: $1 - 60_000, into: &$2)
        },
        Refused(description: "unmuted in the group", code: nil, kind: .group, to: "g") {
            try $0.muteInGroup("g", users: ["m"], at: $1, into: &$2)
            try $0.unmuteInGroup("g", users: ["m"], into: &$2)
        },
        Refused(description: "muted in all groups", code: 22_408, kind: .group, to: "g") {
            _ = try $0.mute(["m"], in: .group, at: $1, into: &$2)
        },
        Refused(description: "all muted", code: 22_408, kind: .group, to: "g", order: silence),
        Refused(description: "all muted, an admin speaks", code: nil, kind: .group, to: "g", sender: "a", order: silence),
        Refused(description: "all muted, the owner speaks", code: nil, kind: .group, to: "g", sender: "o", order: silence),
        Refused(description: "all muted, but one", code: nil, kind: .group, to: "g") {
            try silence(&$0, $1, &$2)
            try $0.allowInGroup("g", users: ["m"], into: &$2)
        },
        Refused(description: "no open channel", code: 23_410, kind: .open, to: "none"),
        Refused(description: "not in the open channel", code: 23_406, kind: .open, to: "r", sender: "x"),
        Refused(description: "muted in the open channel", code: 23_408, kind: .open, to: "r") {
            _ = try $0.muteInOpenChannel("r", users: ["m"], at: $1, into: &$2)
        },
        Refused(description: "muted in all open channels", code: 23_408, kind: .open, to: "r") {
            _ = try $0.mute(["m"], in: .open, at: $1, into: &$2)
        },
        Refused(description: "all muted in the open channel", code: 23_408, kind: .open, to: "r") {
            _ = try $0.setAllMuted(true, in: "r", at: $1, into: &$2)
        },
        Refused(description: "all muted in the open channel, but one", code: nil, kind: .open, to: "r") {
            _ = try $0.setAllMuted(true, in: "r", at: $1, into: &$2)
            _ = try $0.allowInOpenChannel("r", users: ["m"], at: $1, into: &$2)
        },
        Refused(description: "banned from the open channel", code: 23_409, kind: .open, to: "r") {
            _ = try $0.barFromOpenChannel("r", users: ["m"], at: $1, into: &$2)
        },
        Refused(description: "banned and back", code: 23_406, kind: .open, to: "r") {
            _ = try $0.barFromOpenChannel("r", users: ["m"], at: $1, into: &$2)
            try $0.unbarFromOpenChannel("r", users: ["m"], at: $1, into: &$2)
        },
    ]

    @Sendable static func silence(_ book: inout ChatState, _ now: Int64, _ commit: inout ChatCommit) throws {
        var update = ChatGroupUpdate()
        update.isMuted = true
        _ = try book.updateGroup("g", update, by: .user("o"), at: now, into: &commit)
    }

    @Test("Messages are refused for the right reason, and the server's own are not", arguments: refusals)
    func refuse(_ refused: Refused) throws {
        var (script, sessions) = try script()
        try script.run(refused.order)
        let session = try #require(sessions[refused.sender]).id
        let draft = ChatDraft(kind: refused.kind, to: refused.to, contentBytes: 10)
        let code = script.code { book, now, _ in _ = try book.admit(draft, from: refused.sender, session: session, at: now) }
        #expect(code == refused.code)
        let server = script.code { book, now, _ in _ = try book.admitFromServer(draft, from: refused.sender, at: now) }
        let existence: Set<Int> = [25_410, 23_410]
        #expect(server == (existence.contains(refused.code ?? 0) || refused.to.isEmpty ? refused.code : nil))
        #expect(script.isInStep)
    }

    @Test("Contents have a limit")
    func size() throws {
        var (script, sessions) = try script()
        let session = try #require(sessions["m"]).id
        for (bytes, expected) in [(131_072, nil), (131_073, 30_016)] as [(Int, Int?)] {
            let code = script.code { book, now, _ in
                _ = try book.admit(
                    ChatDraft(kind: .direct, to: "x", contentBytes: bytes), from: "m", session: session, at: now)
            }
            #expect(code == expected)
        }
    }

    @Test("Recalls: anybody who takes part, or only the sender", arguments: [false, true])
    func recall(ownOnly: Bool) throws {
        var (script, _) = try script(recallsOwnOnly: ownOnly)
        func recall(_ user: Identifier, of sender: Identifier) -> Int? {
            script.code { book, now, _ in _ = try book.admitRecall(by: .user(user), of: sender, in: .group, "g", at: now) }
        }
        #expect(recall("m", of: "m") == nil)
        #expect(recall("n", of: "m") == (ownOnly ? 25_107 : nil))
        #expect(recall("x", of: "x") == 22_406)
        let told = try script.book.admitRecall(by: .server(as: "m"), of: "m", in: .group, "g", users: ["n"], at: script.now)
        #expect(told.users == ["n"])
    }

    @Test("Edits: one's own messages, not too late")
    func edit() throws {
        var (script, _) = try script()
        func edit(_ user: Identifier, age: Int64, bytes: Int = 1) -> Int? {
            script.code { book, now, _ in
                _ = try book.admitEdit(
                    by: .user(user), of: "m", sent: now - age, contentBytes: bytes, in: .group, "g", at: now)
            }
        }
        let window: Int64 = 1_440 * 60_000
        #expect(edit("m", age: window) == nil)
        #expect(edit("m", age: window + 1) == 20_114)
        #expect(edit("n", age: 0) == 25_107)
        #expect(edit("m", age: 0, bytes: 131_073) == 30_016)
    }

    @Test("Metadata and receipts belong to direct conversations and groups")
    func kinds() throws {
        var (script, _) = try script()
        for (kind, to, expected) in [
            (.direct, "x", nil), (.group, "g", nil), (.open, "r", 33_003), (.system, "x", 33_003),
        ] as [(ChatKind, Identifier, Int?)] {
            #expect(script.code { book, now, _ in try book.checkReceipts(by: "m", in: kind, to, at: now) } == expected)
            let code = script.code { book, now, _ in
                _ = try book.admitMetadata(by: .user("m"), of: "m", in: kind, to, at: now)
            }
            #expect(code == expected)
        }
        #expect(script.code { book, now, _ in try book.checkReceipts(by: "x", in: .group, "g", at: now) } == 22_406)
    }

    @Test("History is for those who take part, and begins with the channel's present life")
    func historyAccess() throws {
        var (script, _) = try script()
        func access(_ kind: ChatKind, _ channel: Identifier, _ user: Identifier) throws -> ChatHistoryAccess {
            try script.book.admitHistory(of: kind, channel, by: user, at: script.now)
        }
        #expect(try access(.direct, "x", "m") == access(.direct, "m", "x"))
        #expect(try access(.system, "sys", "m").conversation == ChatConversation.key(.system, of: "sys", and: "m"))
        #expect(try access(.group, "g", "m").floor == 1_000_000_000 * 10_000 - 1)
        #expect(script.code { book, now, _ in _ = try book.admitHistory(of: .group, "g", by: "x", at: now) } == 22_406)
        #expect(script.code { book, now, _ in _ = try book.admitHistory(of: .open, "r", by: "x", at: now) } == 23_406)
    }
}
