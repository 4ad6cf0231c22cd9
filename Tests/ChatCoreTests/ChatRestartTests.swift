import ChatServer
import Identifiers
import Testing

/// What time brings after a restart, and when the machine's clock is set.
@Suite("Open channels after a restart and with a clock that is set (CH-68, CH-75, CH-76)")
struct ChatRestartTests {
    private static let hour: Int64 = 3_600_000

    /// A channel that a user made two hours ago by entering, in which the user still is; another one is banned from it for ten hours.
    private func restarted() throws -> ChatScript {
        var script = ChatScript()
        let phone = try script.signIn("u")
        _ = try script.enter("r", phone, "u")
        _ = try script.run { try $0.setAllMuted(true, in: "r", at: $1, into: &$2) }
        _ = try script.run { try $0.barFromOpenChannel("r", users: ["x"], minutes: 600, at: $1, into: &$2) }
        _ = try script.run { book, now, commit in
            try book.setOpenEntries(
                ["stays": "1"], in: "r", overwrites: false, areDeletedWhenLeft: false, by: .server(as: "u"), at: now,
                into: &commit)
        }
        _ = script.pass(2 * Self.hour)
        script.book = script.restored()
        return script
    }

    @Test("CH-75: A restart begins the lifetime of an open channel anew, and its bans, mutes and pairs stay")
    func lifetime() throws {
        var script = try restarted()
        _ = script.pass(1_000)
        #expect(script.book.openChannel("r")?.isMuted == true)
        let banned = try script.signIn("x")
        #expect(
            script.code { _ = try $0.enterOpenChannel("r", session: banned, user: "x", at: $1, into: &$2) } == 23_409)
        let phone = try script.signIn("u")
        #expect(try script.enter("r", phone, "u").entries.map(\.key) == ["stays"])
        _ = script.signOut(phone, "u", isDeliberate: true)
        _ = script.pass(Self.hour - 10_000)
        #expect(script.book.openChannel("r") != nil)
        _ = script.pass(20_000)
        #expect(script.book.openChannel("r") == nil, "An hour without anybody ends it after all")
        #expect(script.isInStep)
    }

    @Test("CH-75: Nobody who comes within the hour is needed for a restored channel to end")
    func unused() throws {
        var script = try restarted()
        _ = script.pass(1_000)
        _ = script.pass(Self.hour + 10_000)
        #expect(script.book.openChannel("r") == nil)
    }

    @Test("CH-68: Pairs that are deleted when their owner leaves go after a restart, unless the owner is back within the grace")
    func pairs() throws {
        var script = ChatScript()
        for user in ["ann", "ben"] as [Identifier] {
            let session = try script.signIn(user)
            _ = try script.enter("r", session, user)
            for (key, isDeleted) in [("\(user) goes", true), ("\(user) stays", false)] {
                _ = try script.run { book, now, commit in
                    try book.setOpenEntries(
                        [Identifier(key): "1"], in: "r", overwrites: false, areDeletedWhenLeft: isDeleted, by: .user(user),
                        at: now,
                        into: &commit)
                }
            }
        }
        script.book = script.restored()
        _ = script.pass(1_000)
        let ben = try script.signIn("ben")
        #expect(try script.enter("r", ben, "ben").entries.count == 4)
        _ = script.pass(29_000)
        #expect(try script.book.openEntries(of: "r", by: .server(), at: script.now).count == 4)
        let news = script.pass(1_000)
        #expect(
            news.open.map(\.kind) == [.metadata([ChatOpenEntryChange(key: "ann goes", value: nil)])],
            "Those who are there are told")
        #expect(
            try script.book.openEntries(of: "r", by: .server(), at: script.now).map(\.key) == [
                "ann stays", "ben goes", "ben stays",
            ])
        #expect(script.isInStep)
    }

    @Test(
        "CH-76: Graces and lifetimes are measured by a clock that is never set, wherever the machine's clock is set to",
        arguments: [-86_400_000, 86_400_000] as [Int64])
    func clock(jump: Int64) throws {
        var script = ChatScript()
        script.book.steadyTime = script.now
        let phone = try script.signIn("u"), witness = try script.signIn("w")
        _ = try script.enter("r", phone, "u")
        _ = try script.enter("r", witness, "w")
        _ = try script.run { try $0.subscribe(to: ["u"], expiry: 2_592_000, by: "w", at: $1, into: &$2) }
        _ = script.signOut(phone, "u")
        script.now += jump
        func pass(_ milliseconds: Int64) -> ChatNews {
            script.book.steadyTime = (script.book.steadyTime ?? 0) + milliseconds
            return script.pass(milliseconds)
        }
        #expect(pass(2_000).isEmpty)
        #expect(pass(1_000).presence.map(\.state.isOnline) == [false])
        #expect(script.book.isParticipant("u", of: "r"))
        #expect(pass(27_000).open.count == 1)
        #expect(!script.book.isParticipant("u", of: "r"))
        _ = script.signOut(witness, "w", isDeliberate: true)
        _ = pass(Self.hour - 10_000)
        #expect(script.book.openChannel("r") != nil)
        _ = pass(20_000)
        #expect(script.book.openChannel("r") == nil)
    }

    @Test("CH-76: Nobody is waited for longer than the grace, whatever deadline another process has left")
    func deadlines() throws {
        var script = ChatScript()
        let phone = try script.signIn("u")
        _ = try script.enter("r", phone, "u")
        var live = ChatLive()
        live.participants = [ChatLive.Participant(channel: "r", user: "u", entered: 1, sessions: [], leavesAt: .max)]
        live.presence = [
            ChatLive.Presence(
                state: ChatPresenceState(user: "u", isOnline: true, time: 1), leaving: .init(deadline: .max, since: 1))
        ]
        script.book = script.restored()
        script.book.restore(live, at: script.now)
        _ = script.pass(3_000)
        #expect(!script.book.presenceState(of: "u").isOnline)
        #expect(script.book.isParticipant("u", of: "r"))
        _ = script.pass(27_000)
        #expect(!script.book.isParticipant("u", of: "r"))
    }
}
