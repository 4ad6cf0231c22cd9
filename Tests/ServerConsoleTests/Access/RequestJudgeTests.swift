import NIOHTTP1
import ServerConsole
import Testing

@Suite("Whose requests the console takes (CO-16 and CO-17)")
struct RequestJudgeTests {
    private let judge = RequestJudge(names: ["Console.Example.com"])
    private let id = String(repeating: "0123456789abcdef", count: 4)

    @Test(
        "Addresses, localhost and configured names are hosts; a name that was pointed here is none (CO-16)",
        arguments: [
            ("127.0.0.1", true), ("127.0.0.1:6002", true), ("[::1]:6002", true), ("[::1]", true), ("localhost:6002", true),
            ("LOCALHOST", true), ("10.0.0.5:80", true), ("console.example.com:443", true), ("example.com", false),
            ("evil.example", false), ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("", false),
            (":80", false),
            ("[::1", false), ("[::1].x", false), ("x.console.example.com", false),
        ])
    func hosts(_ host: String, _ isAllowed: Bool) {
        #expect(judge.allowsHost(["Host": host]) == isAllowed)
        #expect(!judge.allowsHost(HTTPHeaders([("Host", host), ("Host", host)])))
    }

    @Test("A call comes from the console's own page, or from a program that says nothing (CO-17)")
    func origins() {
        let host = ("Host", "127.0.0.1:6002")
        for own in [
            [], [("Origin", "http://127.0.0.1:6002")], [("Origin", "https://127.0.0.1:6002"), ("Sec-Fetch-Site", "same-origin")],
            [("Sec-Fetch-Site", "same-origin")],
        ] { #expect(judge.isFromOwnPage(HTTPHeaders([host] + own)), "\(own)") }
        for foreign in [
            [("Origin", "http://127.0.0.1:6001")], [("Origin", "null")], [("Origin", "")],
            [("Origin", "http://127.0.0.1:6002.evil")],
            [("Origin", "ftp://127.0.0.1:6002")], [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
            [("Sec-Fetch-Site", "none")], [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "same-origin")],
            [("Origin", "http://127.0.0.1:6002"), ("Origin", "http://127.0.0.1:6002")],
            [("Origin", "http://127.0.0.1:6002"), ("Sec-Fetch-Site", "cross-site")],
        ] { #expect(!judge.isFromOwnPage(HTTPHeaders([host] + foreign)), "\(foreign)") }
    }

    @Test("A call that changes something carries the token and a body that no form can send (CO-17)")
    func tokens() {
        let json = ("Content-Type", "application/json")
        #expect(judge.isMeant(HTTPHeaders([json, ("X-Lifeline-Token", id)]), token: id))
        #expect(
            judge.isMeant(
                HTTPHeaders([("Content-Type", "Application/JSON; charset=utf-8"), ("X-Lifeline-Token", id)]), token: id))
        for wrong: HTTPHeaders in [
            [:], ["X-Lifeline-Token": id], [json.0: json.1], [json.0: json.1, "X-Lifeline-Token": String(id.dropLast())],
            ["Content-Type": "text/plain", "X-Lifeline-Token": id],
            ["Content-Type": "application/jsonx", "X-Lifeline-Token": id],
        ] { #expect(!judge.isMeant(wrong, token: id)) }
        #expect(!judge.isMeant(HTTPHeaders([json, ("X-Lifeline-Token", id), ("X-Lifeline-Token", id)]), token: id))
    }

    @Test("The cookie has one id of 64 digits, and is bound to the console, or to TLS (CO-14)")
    func cookies() {
        func session(_ cookie: String, tls: Bool = false) -> String? { judge.session(["Cookie": cookie], usesTLS: tls) }
        #expect(session("lifeline_console=\(id)") == id && session("a=b; lifeline_console=\(id);c=d") == id)
        #expect(session("__Host-lifeline_console=\(id)", tls: true) == id)
        for wrong in [
            "", "lifeline_console", "lifeline_console=", "lifeline_console=\(id)0", "lifeline_console=\(id.uppercased())",
            "lifeline_console=\(id); lifeline_console=\(id)", "xlifeline_console=\(id)", "__Host-lifeline_console=\(id)",
        ] { #expect(session(wrong) == nil, "\(wrong)") }
        #expect(session("lifeline_console=\(id)", tls: true) == nil)
        #expect(
            judge.session(
                HTTPHeaders([("Cookie", "lifeline_console=\(id)"), ("Cookie", "lifeline_console=\(id)")]), usesTLS: false) == nil)
        #expect(judge.cookie(id, usesTLS: false).value == "lifeline_console=\(id); Path=/console; HttpOnly; SameSite=Strict")
        #expect(
            judge.cookie(id, usesTLS: true).value == "__Host-lifeline_console=\(id); Path=/; Secure; HttpOnly; SameSite=Strict")
        #expect(judge.cookie(nil, usesTLS: false).value.hasSuffix("Max-Age=0"))
    }

    @Test("Basic authentication for figures")
    func basic() {
        func password(_ field: String) -> String? { ConsoleFront.basicPassword(["Authorization": field]) }
        #expect(password("Basic bWU6cGFzczp3b3Jk") == "pass:word" && password("basic bWU6") == "")
        for wrong in ["", "Basic", "Basic ", "Basic ???", "Bearer bWU6cGFzcw==", "Basic bWU="] { #expect(password(wrong) == nil) }
        #expect(ConsoleFront.basicPassword([:]) == nil)
    }
}
