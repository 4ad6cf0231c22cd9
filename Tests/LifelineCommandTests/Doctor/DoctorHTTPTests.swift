import Testing

@testable import LifelineCommand

@Suite("doctor: HTTP, clock, upgrade")
struct DoctorHTTPTests {
    private static let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n<html>sign in</html>"

    @Test(
        "F76: captive portals, and what looks like them",
        arguments: [
            (page, "upgrade: captive-portal"), ("HTTP/1.1 511 Network Authentication Required\r\n\r\n", "http: captive-portal"),
            ("HTTP/1.1 302 Found\r\nLocation: http://portal.test/login\r\nContent-Length: 0\r\n\r\n", "upgrade: redirected"),
            ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nOK", "upgrade: no-websocket"),
        ])
    func portal(answer: String, failure: String) async throws {
        let server = try await ScriptedServer { _ in .last(answer) }
        let examination = try await Examination.of("http://127.0.0.1:\(server.port)", secret: "hush")
        #expect(examination.firstFailure == failure)
        #expect(examination[.handshake] == .unreached(.upgrade))
        if answer == Self.page { #expect(examination.note(.http) == "web-page") }
        if failure.hasSuffix("redirected") { #expect(examination.text.contains("portal.test")) }
    }

    @Test(
        "An upgrade that is refused",
        arguments: [
            ("401 Unauthorized", "upgrade-denied"), ("403 Forbidden", "upgrade-denied"), ("404 Not Found", "upgrade-not-found"),
            ("400 Bad Request", "upgrade-refused"), ("426 Upgrade Required", "upgrade-refused"),
            ("407 Proxy Authentication Required", "proxy-credentials-missing"), ("429 Too Many Requests", "overloaded"),
            ("503 Service Unavailable", "overloaded"), ("502 Bad Gateway", "gateway"), ("504 Gateway Timeout", "gateway"),
            ("500 Internal Server Error", "upgrade-failed"), ("418 I'm a teapot", "upgrade-failed"),
        ])
    func upgradeRefused(status: String, code: String) async throws {
        let server = try await ScriptedServer { head in
            let isUpgrade = head.hasPrefix("GET /app/")
            return .last("HTTP/1.1 \(isUpgrade ? status : "200 OK")\r\nContent-Length: 0\r\n\r\n")
        }
        let examination = try await Examination.of("http://127.0.0.1:\(server.port)")
        #expect(examination.firstFailure == "upgrade: \(code)")
        #expect(examination.passed.contains(.http))
    }

    @Test("A 101 that is no handshake, an upgrade that is cut, and one without an answer")
    func upgradeBroken() async throws {
        for (reply, code) in [
            (ScriptedServer.Reply.last("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"), "upgrade-malformed"),
            (.upgrade("Sec-WebSocket-Extensions: permessage-deflate\r\n", []), "upgrade-malformed"), (.last(""), "cut"),
            (.silence, "no-answer"), (.bytes("SSH-2.0-OpenSSH_9.9\r\n"), "not-http"),
        ] {
            let server = try await ScriptedServer { head in
                head.hasPrefix("GET /app/") ? reply : .last("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            let examination = try await Examination.of(
                "http://127.0.0.1:\(server.port)", limits: code == "no-answer" ? [.upgrade: .milliseconds(500)] : [:])
            #expect(examination.firstFailure == "upgrade: \(code)")
        }
    }

    @Test("A port that speaks something else, or nothing")
    func notHTTP() async throws {
        let other = try await ScriptedServer { _ in .last("-ERR unknown command\r\n") }
        #expect(try await Examination.of("http://127.0.0.1:\(other.port)").firstFailure == "http: not-http")
        let mute = try await ScriptedServer { _ in .silence }
        let examination = try await Examination.of(
            "http://127.0.0.1:\(mute.port)", limits: [.http: .milliseconds(300), .upgrade: .milliseconds(300)])
        #expect(examination.firstFailure == "http: no-answer")
        let cutting = try await ScriptedServer { _ in .last("") }
        // Before that is said, it is asked for TLS.
        #expect(try await Examination.of("http://127.0.0.1:\(cutting.port)").firstFailure == "http: cut")
    }

    @Test("A server that sends a letter now and then does not make an examination last for ever")
    func dripping() async throws {
        let server = try await ScriptedServer { _ in .drip(Array(repeating: "X-Filler: x\r\n", count: 10_000)) }
        let examination = try await Examination.of(
            "http://127.0.0.1:\(server.port)", limits: [.http: .milliseconds(800), .upgrade: .milliseconds(800)])
        #expect(examination.firstFailure == "http: no-answer")
    }

    @Test(
        "CL-34: a clock that is off is a failure where requests are signed, and a note elsewhere",
        arguments: [
            (0, true, nil), (600, true, nil), (-600, true, nil), (601, true, "clock-off"), (-90_000, true, "clock-off"),
            (601, false, "clock-off"), (-1_000_000_000, false, "clock-off"),
        ] as [(Int64, Bool, String?)])
    func clock(off: Int64, isSigned: Bool, code: String?) async throws {
        let server = try await ScriptedServer(
            ScriptedServer.pusher(headers: "Date: Tue, 29 Feb 2000 12:00:00 GMT\r\n", on: "private") { _ in
                [.text(#"{"event":"pusher:error","data":{}}"#)]
            })
        let examination = try await Examination.of(
            "http://127.0.0.1:\(server.port)", secret: isSigned ? "hush" : nil, limits: [.roundTrip: .milliseconds(300)],
            unixTime: { 951_825_600 + off })
        switch (examination[.clock], code) {
        case (.passed?, nil): break
        case (.failed(let finding)?, let code?): #expect(isSigned && finding.code == code)
        case (.noted(_, let finding)?, let code?): #expect(!isSigned && finding.code == code)
        default: Issue.record("\(examination.text)")
        }
        // Not fundamental: the rest is examined as well.
        #expect(examination.passed.contains(.handshake))
    }

    @Test("A server that does not say its time")
    func noDate() async throws {
        let server = try await ScriptedServer(ScriptedServer.pusher(headers: "Date: soon\r\n"))
        let examination = try await Examination.of("http://127.0.0.1:\(server.port)")
        guard case .skipped? = examination[.clock] else {
            Issue.record("\(examination.text)")
            return
        }
    }

    @Test("Heads of answers are read in pieces, and nothing else is taken for one")
    func answers() throws {
        let whole = Array("HTTP/1.1 200 OK\r\nServer: a b\r\nX:\r\nbroken\r\n\r\nrest".utf8)
        let (answer, end) = try #require(try ProbeAnswer.parse(whole))
        #expect(answer.status == 200 && answer.first("server") == "a b" && answer.first("x") == "" && answer.fields.count == 2)
        #expect(whole.count - end == 4)
        for count in 0..<end { #expect(try ProbeAnswer.parse(Array(whole[..<count]))?.end == nil) }
        for bytes in ["<", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n"] {
            #expect(throws: ProbeNotHTTP.self) { try ProbeAnswer.parse(Array(bytes.utf8)) }
        }
        let endless = Array("HTTP/1.1 200 OK\r\n".utf8) + [UInt8](repeating: 65, count: 100_000)
        #expect(throws: ProbeNotHTTP.self) { try ProbeAnswer.parse(endless) }
    }
}
