import Testing
import TransportCommon

@testable import LifelineCommand

@Suite("doctor: what is examined, and how it is told")
struct DoctorTargetTests {
    @Test(
        "CL-31: addresses in every form",
        arguments: [
            ("http://h:6001", "h:6001", false, "/app/app-key"), ("https://h", "h:443", true, "/app/app-key"),
            ("ws://h/app/k1", "h:80", false, "/app/k1"),
            ("wss://h/a/b/app/k1?protocol=7&client=js", "h:443", true, "/a/b/app/k1"),
            ("https://[::1]:8443/realtime/", "[::1]:8443", true, "/realtime/app/app-key"),
            ("HTTPS://H:1/app/app/k", "H:1", true, "/app/app/k"),
        ])
    func addresses(url: String, authority: String, usesTLS: Bool, path: String) throws {
        let target = try DoctorTarget(url: url)
        #expect(target.authority == authority && target.usesTLS == usesTLS && target.appPath == path)
    }

    @Test("CL-31: a cluster stands for Pusher's own hosts")
    func cluster() throws {
        let target = try DoctorTarget(url: nil, cluster: "eu", key: "k")
        #expect(target.authority == "ws-eu.pusher.com:443" && target.api == "https://api-eu.pusher.com:443")
        #expect(try DoctorTarget(url: "http://h:81/x").api == "http://h:81/x")
    }

    @Test(
        "CL-31: everything else is wrong usage",
        arguments: [
            "", "h", "h:6001", "ftp://h", "http://", "http://u:p@h", "http://h:0", "http://h:70000", "http:///app/k",
        ])
    func refused(url: String) {
        let failure = #expect(throws: CommandFailure.self) { try DoctorTarget(url: url) }
        #expect(failure?.kind == .usage)
    }

    @Test("CL-31: what contradicts itself is wrong usage")
    func contradictions() {
        for make in [
            { try DoctorTarget(url: nil) }, { try DoctorTarget(url: "http://h", cluster: "eu") },
            { try DoctorTarget(url: "ws://h/app/a", key: "b") }, { try DoctorTarget(service: .pubnub, url: nil, cluster: "eu") },
            { try DoctorTarget(url: nil, cluster: "e u") }, { try DoctorTarget(url: "http://h", proxy: "socks5://p:1") },
            { try DoctorTarget(url: "http://h", proxy: "http://p:0") }, { try DoctorTarget(url: "http://h", proxy: "") },
        ] as [() throws -> DoctorTarget] {
            let failure = #expect(throws: CommandFailure.self) { try make() }
            #expect(failure?.kind == .usage)
        }
    }

    @Test(
        "Proxies, with credentials or without",
        arguments: [
            ("p:1", "p", 1, nil, nil), ("http://p", "p", 3128, nil, nil), ("http://u:p%40ss@[::1]:9", "::1", 9, "u", "p@ss"),
        ] as [(String, String, Int, String?, String?)])
    func proxies(text: String, host: String, port: Int, user: String?, password: String?) throws {
        let proxy = try DoctorTarget(url: "http://h", proxy: text).proxy
        #expect(proxy?.host == host && proxy?.port == port)
        #expect(proxy?.credentials?.user == user && proxy?.credentials?.password == password)
    }

    @Test("What can be said without trying anything")
    func configuration() throws {
        func code(_ url: String, key: String? = "k", secret: String? = nil) throws -> String {
            switch try DoctorTarget(url: url, key: key, secret: secret).verdict {
            case .passed: "passed"
            case .noted(_, let finding): finding.code
            case .failed(let finding): finding.code
            case .skipped, .unreached: "skipped"
            }
        }
        #expect(try code("https://h") == "passed")
        #expect(try code("http://127.0.0.1:6001") == "passed")
        #expect(try code("http://chat.example") == "unencrypted")
        #expect(try code("https://h:80") == "port-and-scheme")
        #expect(try code("http://h:443") == "port-and-scheme")
        #expect(try code("https://api-eu.pusher.com") == "api-host")
        #expect(try code("https://api.pusherapp.com") == "api-host")
        #expect(try code("https://h", key: "k ") == "key-malformed")
        #expect(try code("https://h", key: "\"k\"") == "key-malformed")
        #expect(try code("https://h", key: "") == "key-malformed")
        #expect(try code("https://h", key: "k", secret: "k") == "secret-is-key")
    }

    @Test("CL-37: a line for people and one for programs")
    func lines() {
        let finding = Finding("a-code", "It means this.", advice: "Do that.")
        let failed = StepReport(step: .tls, verdict: .failed(finding), duration: .milliseconds(12))
        #expect(failed.text(.off) == "✗ TLS                    12 ms  It means this.\n    → Do that.")
        #expect(
            failed.json
                == #"{"step":"tls","result":"failed","seconds":0.012,"detail":null,"code":"a-code","meaning":"It means this.","advice":"Do that."}"#
        )
        let noted = StepReport(step: .connection, verdict: .noted("to h", finding), duration: .seconds(2))
        #expect(noted.text(.off) == "! TCP connection       2000 ms  to h\n    It means this.\n    → Do that.")
        let skipped = StepReport(step: .proxy, verdict: .skipped("none was given"))
        #expect(skipped.text(.off) == "– proxy                         none was given")
        #expect(
            StepReport(step: .ping, verdict: .unreached(.tls)).json
                == #"{"step":"ping","result":"skipped","seconds":null,"detail":"not tried, since tls failed","code":null,"meaning":null,"advice":null}"#
        )
    }

    @Test("Words of a server are put on one line, without what moves the cursor")
    func quotes() {
        #expect(Finding.quote("a\r\n\tb\u{1B}[31mc\u{202E}d") == "a b [31mcd")
        #expect(Finding.quote(String(repeating: "x", count: 5000)).count == 200)
    }
}
