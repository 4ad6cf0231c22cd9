import ChatServer
import Identifiers
import Testing

@Suite("Tokens and users of a chat application (CH-3 to CH-13)")
struct ChatUserTests {
    @Test("A token says who its user is, and several are good at a time")
    func issue() throws {
        var script = ChatScript()
        try script.issue("t1", to: "u1")
        script.now += 1
        try script.issue("t2", to: "u1")
        #expect(try script.book.checkToken(hash: "t1", at: script.now).user == "u1")
        #expect(try script.book.checkToken(hash: "t2", at: script.now).user == "u1")
        #expect(script.book.user("u1")?.name == "n")
        #expect(script.book.user("u1")?.created == 1_000_000_000)
        #expect(script.isInStep)
    }

    @Test("Issuing a token again leaves what is not given")
    func refresh() throws {
        var script = ChatScript()
        try script.run { book, now, commit in
            try book.issueToken(hash: "1", to: "u", name: "Ann", avatar: "a.png", at: now, into: &commit)
            try book.issueToken(hash: "2", to: "u", name: "Anna", avatar: nil, at: now, into: &commit)
        }
        #expect(script.book.user("u")?.name == "Anna")
        #expect(script.book.user("u")?.avatar == "a.png")
    }

    /// What was done to a user between the token and the connection, and the code that connecting gives.
    static let cases: [(String, Int?)] = [
        ("nothing", nil), ("unknown", 31_004), ("expired", 31_020), ("revoked", 31_020), ("revoked before", nil),
        ("banned", 31_009), ("ban over", nil), ("unbanned", nil), ("deactivated", 31_029), ("reactivated", nil),
        ("banned and expired", 31_020),
    ]

    @Test("Connecting is refused for the right reason", arguments: cases)
    func check(what: String, expected: Int?) throws {
        var script = ChatScript(tokenLifetime: .seconds(3_600))
        try script.issue("t", to: "u")
        script.now += 1_000
        try script.run { book, now, commit in
            switch what {
            case "revoked": _ = try book.expireTokens(of: ["u"], issuedBefore: now, at: now, into: &commit)
            case "revoked before": _ = try book.expireTokens(of: ["u"], issuedBefore: now - 1_000, at: now, into: &commit)
            case "banned", "ban over", "banned and expired": _ = try book.ban(["u"], minutes: 1, at: now, into: &commit)
            case "unbanned":
                _ = try book.ban(["u"], minutes: 1, at: now, into: &commit)
                try book.unban(["u"], into: &commit)
            case "deactivated": _ = try book.deactivate(["u"], at: now, into: &commit)
            case "reactivated":
                _ = try book.deactivate(["u"], at: now, into: &commit)
                try book.reactivate(["u"], at: now, into: &commit)
            default: break
            }
        }
        if what.contains("expired") { script.now += 3_600_000 }
        if what == "ban over" { script.now += 60_000 }
        let hash: Identifier = what == "unknown" ? "x" : "t"
        for book in [script.book, script.restored()] {
            do throws(ChatRefusal) {
                _ = try book.checkToken(hash: hash, at: script.now)
                #expect(expected == nil)
            } catch {
                #expect(error.code == expected)
            }
        }
        #expect(script.isInStep)
    }

    @Test("Banning, deactivating and revoking name the sessions that have to end")
    func endings() throws {
        var script = ChatScript()
        try script.issue("t", to: "u")
        let phone = try script.signIn("u"), desk = try script.signIn("u", device: "x", as: .desktop)
        _ = try script.signIn("other")
        try script.run { book, now, commit in
            let banned = try book.ban(["u"], minutes: 5, at: now, into: &commit)
            let deactivated = try book.deactivate(["u", "away"], at: now, into: &commit)
            // These sessions' tokens were issued at 0.
            let revoked = try book.expireTokens(of: ["u"], issuedBefore: now, at: now, into: &commit)
            let again = try book.expireTokens(of: ["u"], issuedBefore: now, at: now, into: &commit)
            #expect([banned, deactivated, revoked, again] == [[phone, desk], [phone, desk], [phone, desk], []])
        }
    }

    @Test("Lists come in pages, by id, without what is over")
    func pages() throws {
        var script = ChatScript()
        try script.run { book, now, commit in
            for user in ["c", "a", "b"] as [Identifier] { _ = try book.ban([user], minutes: 2, at: now, into: &commit) }
            _ = try book.ban(["short"], minutes: 1, at: now, into: &commit)
            _ = try book.deactivate(["z", "y"], at: now, into: &commit)
        }
        script.now += 60_000
        #expect(script.book.banned(page: 1, size: 2, at: script.now).map(\.user) == ["a", "b"])
        #expect(script.book.banned(page: 2, size: 2, at: script.now).map(\.user) == ["c"])
        #expect(script.book.banned(page: 3, size: 2, at: script.now).isEmpty)
        #expect(script.book.banned(page: .max, size: .max, at: script.now).isEmpty)
        #expect(script.book.deactivated(page: 1, size: 50).map(\.id) == ["y", "z"])
    }

    // Proof of CH-4.
    @Test("Old tokens are forgotten: by number, and a day after they expired")
    func bounded() throws {
        var script = ChatScript(tokenLifetime: .seconds(60))
        for number in 0..<101 { try script.issue("t\(number)", to: "u") }
        #expect(script.code { book, now, _ in _ = try book.checkToken(hash: "t0", at: now) } == 31_004)
        #expect(script.code { book, now, _ in _ = try book.checkToken(hash: "t1", at: now) } == nil)
        script.now += 60_000
        #expect(script.code { book, now, _ in _ = try book.checkToken(hash: "t1", at: now) } == 31_020)
        _ = script.pass(86_400_000)
        #expect(script.code { book, now, _ in _ = try book.checkToken(hash: "t1", at: now) } == 31_004)
        #expect(script.book.documents.count == 1)
        #expect(script.isInStep)
    }

    @Test("A ban that is over leaves nothing behind")
    func sweep() throws {
        var script = ChatScript()
        try script.run { book, now, commit in _ = try book.ban(["u"], minutes: 1, at: now, into: &commit) }
        #expect(script.documents.count == 1)
        _ = script.pass(60_000)
        #expect(script.documents.isEmpty)
        #expect(script.isInStep)
    }

    @Test("Only registered users can be changed, and only what is given is")
    func update() throws {
        var script = ChatScript()
        try script.issue("t", to: "u")
        try script.run { book, now, commit in
            try book.updateUser("u", name: nil, avatar: "a", extra: ["ext_k": "v"], at: now, into: &commit)
        }
        #expect(script.book.user("u")?.name == "n")
        #expect(script.book.user("u")?.extra == ["ext_k": "v"])
        #expect(
            script.code { book, now, commit in
                try book.updateUser("nobody", name: "x", avatar: nil, extra: nil, at: now, into: &commit)
            } == 24_366)
        #expect(
            script.code { book, now, commit in
                let name = String(repeating: "x", count: 257)
                try book.updateUser("u", name: name, avatar: nil, extra: nil, at: now, into: &commit)
            } == 33_003)
    }

    @Test("Arguments out of range are refused", arguments: [0, -1, 43_201, Int.max])
    func minutes(_ minutes: Int) {
        var script = ChatScript()
        #expect(script.code { book, now, commit in _ = try book.ban(["u"], minutes: minutes, at: now, into: &commit) } == 33_003)
        #expect(script.code { book, now, commit in _ = try book.ban([], minutes: 1, at: now, into: &commit) } == 33_003)
        #expect(script.code { book, now, commit in _ = try book.ban(["\u{1F}"], minutes: 1, at: now, into: &commit) } == 33_003)
    }
}
