import ChatServer
import Identifiers
import ServerStorage
import Testing

@Suite("Online status of chat users (CH-83 to CH-87)")
struct ChatPresenceTests {
    private func changes(_ news: ChatNews) -> [String] {
        news.presence.map { "\($0.state.isOnline ? "+" : "-")\($0.state.user)>\($0.watchers.texts.joined(separator: ","))" }
    }

    private func script(limits: ChatLimits = .init()) throws -> ChatScript {
        var script = ChatScript(limits: limits)
        _ = try script.run { try $0.subscribe(to: ["u"], expiry: 3_600, by: "w", at: $1, into: &$2) }
        return script
    }

    @Test("Told when the first device comes, and when the last one has been gone for a while (F68)")
    func firstAndLast() throws {
        var script = try script()
        let phone = script.session(), desk = script.session()
        let signIn = ChatSignIn(user: "u", device: "a")
        #expect(changes(try script.book.signIn(phone, signIn, at: script.now).news) == ["+u>w"])
        let other = ChatSignIn(user: "u", device: "b", deviceClass: .web)
        #expect(changes(try script.book.signIn(desk, other, at: script.now).news).isEmpty)
        #expect(script.signOut(phone, "u").isEmpty)
        #expect(script.signOut(desk, "u").isEmpty)
        let gone = script.now
        #expect(changes(script.pass(2_999)).isEmpty)
        #expect(script.book.presenceState(of: "u").isOnline)
        #expect(changes(script.pass(1)) == ["-u>w"])
        #expect(script.book.presenceState(of: "u") == ChatPresenceState(user: "u", isOnline: false, time: gone))
    }

    @Test("A short break is not told (F71), a deliberate end at once")
    func breaks() throws {
        var script = try script()
        let phone = try script.signIn("u")
        _ = script.signOut(phone, "u")
        _ = script.pass(1_000)
        let again = script.session()
        #expect(try script.book.signIn(again, ChatSignIn(user: "u", device: "d"), at: script.now).news.presence.isEmpty)
        #expect(changes(script.pass(60_000)).isEmpty)
        #expect(changes(script.signOut(again, "u", isDeliberate: true)) == ["-u>w"])
        #expect(changes(script.pass(60_000)).isEmpty)
    }

    @Test("Who begins to watch learns how everybody stands")
    func states() throws {
        var script = try script()
        _ = try script.signIn("on")
        let came = script.now
        let result = try script.run { try $0.subscribe(to: ["on", "off"], expiry: 60, by: "w", at: $1, into: &$2) }
        #expect(result.failed.isEmpty)
        #expect(
            result.states == [
                ChatPresenceState(user: "on", isOnline: true, time: came),
                ChatPresenceState(user: "off", isOnline: false, time: 0),
            ])
        #expect(script.book.presenceStates(for: "w", at: script.now).map(\.user) == ["off", "on", "u"])
        script.now += 60_000
        #expect(script.book.presenceStates(for: "w", at: script.now).map(\.user) == ["u"])
        _ = script.pass(0)
        #expect(script.documents.count == 1 && script.isInStep)
    }

    @Test("Subscriptions survive a restart, and end when asked")
    func restore() throws {
        var script = try script()
        #expect(script.restored().subscriptions(of: "w", at: script.now).map(\.user) == ["u"])
        try script.run { book, _, commit in try book.unsubscribe(from: ["u", "nobody"], by: "w", into: &commit) }
        #expect(script.documents.isEmpty && script.isInStep)
        let phone = script.session()
        #expect(try script.book.signIn(phone, ChatSignIn(user: "u", device: "d"), at: script.now).news.presence.isEmpty)
    }

    @Test("Watchers and watched have limits, which fail single users only")
    func limits() throws {
        var limits = ChatLimits()
        limits.presencePerUser = 3
        limits.presenceSubscribers = 1
        limits.presencePerCall = 4
        var script = try script(limits: limits)
        let mine = try script.run { try $0.subscribe(to: ["u", "a"], expiry: 60, by: "x", at: $1, into: &$2) }
        #expect(mine.failed == ["u"] && mine.states.map(\.user) == ["a"])
        let more = try script.run { try $0.subscribe(to: ["b", "c", "d", "a"], expiry: 60, by: "x", at: $1, into: &$2) }
        #expect(more.failed == ["d"], "Renewing is always possible")
        let wrong: [([Identifier], Int)] = [(["1", "2", "3", "4", "5"], 60), ([], 60), (["1"], 59), (["1"], 2_592_001)]
        for (users, expiry) in wrong {
            #expect(
                script.code { _ = try $0.subscribe(to: users, expiry: expiry, by: "x", at: $1, into: &$2) } == 33_003)
        }
        var off = ChatScript(hasPresence: false)
        #expect(off.code { _ = try $0.subscribe(to: ["u"], expiry: 60, by: "x", at: $1, into: &$2) } == 26_020)
    }
}

@Suite("Settings of chat channels (CH-80 to CH-82)")
struct ChatSettingTests {
    // Proof of CH-81.
    @Test("What is set is kept, what is back at the default is not")
    func set() throws {
        var script = ChatScript()
        func set(_ channel: Identifier?, pinned: Bool? = nil, level: Int? = nil) throws -> Bool {
            try script.run { book, _, commit in
                try book.set(.group, channel: channel, isPinned: pinned, level: level, of: "u", into: &commit)
            }
        }
        #expect(try set("a:b", pinned: true))
        #expect(try set("a:b", level: 5))
        #expect(try !set("a:b", pinned: true, level: 5))
        #expect(try set(nil, level: 1))
        let settings = script.book.settings(of: "u")
        #expect(settings.map(\.channel) == ["group", "group:a:b"])
        #expect(settings.last?.isPinned == true && settings.last?.level == 5)
        #expect(settings.last?.target?.id == "a:b" && settings.first?.target?.id == nil)
        #expect(script.isInStep)
        #expect(try set("a:b", pinned: false, level: 0))
        #expect(try set(nil, level: 0))
        #expect(try !set("never", pinned: false))
        #expect(script.documents.isEmpty && script.isInStep)
    }

    @Test(
        "CH-88: Whom a user blocks is not told the user's online status: not at once, not later, and not with the next connection"
    )
    func blocked() throws {
        var script = ChatScript()
        let phone = try script.signIn("u")
        func online(_ news: ChatNews) -> [String] {
            news.presence.map { "\($0.state.user) \($0.state.isOnline) \($0.watchers.map(\.text))" }
        }
        _ = try script.run { try $0.subscribe(to: ["u"], expiry: 3_600, by: "friend", at: $1, into: &$2) }
        _ = try script.run { try $0.subscribe(to: ["u"], expiry: 3_600, by: "early", at: $1, into: &$2) }
        try script.run { try $0.block(["early", "late"], by: "u", into: &$2) }
        #expect(
            online(script.book.presenceNews(afterBlocking: ["early", "late"], by: "u", at: script.now)) == [
                "u false [\"early\"]"
            ],
            "Who was told that the user is online is told the opposite once")
        let late = try script.run { try $0.subscribe(to: ["u"], expiry: 3_600, by: "late", at: $1, into: &$2) }
        #expect(late.failed.isEmpty && late.states.isEmpty)
        #expect(script.book.presenceStates(for: "late", at: script.now).isEmpty)
        #expect(script.book.presenceStates(for: "friend", at: script.now).map(\.isOnline) == [true])
        #expect(script.signOut(phone, "u").isEmpty)
        #expect(online(script.pass(3_000)) == ["u false [\"friend\"]"])
        #expect(script.book.presenceNews(afterBlocking: ["early"], by: "u", at: script.now).isEmpty)
        let session = script.session()
        let admittance = try script.book.signIn(session, ChatSignIn(user: "u", device: "d"), at: script.now)
        #expect(online(admittance.news) == ["u true [\"friend\"]"])
        #expect(online(script.signOut(session, "u", isDeliberate: true)) == ["u false [\"friend\"]"])
        try script.run { try $0.unblock(["late"], by: "u", into: &$2) }
        #expect(online(script.book.presenceNews(afterUnblocking: ["late"], by: "u")) == ["u false [\"late\"]"])
        let back = try script.book.signIn(script.session(), ChatSignIn(user: "u", device: "d"), at: script.now)
        #expect(online(back.news) == ["u true [\"friend\", \"late\"]"])
    }

    @Test("What makes no sense is refused")
    func refused() {
        var script = ChatScript()
        func code(_ channel: Identifier?, pinned: Bool? = nil, level: Int? = nil) -> Int? {
            script.code { book, _, commit in
                _ = try book.set(.direct, channel: channel, isPinned: pinned, level: level, of: "u", into: &commit)
            }
        }
        #expect(code(nil, pinned: true) == 33_003)
        #expect(code("c", level: 3) == 33_003)
        #expect(code("", level: 1) == 33_003)
    }
}
