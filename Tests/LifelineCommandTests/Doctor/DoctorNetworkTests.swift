import NIOCore
import SocketTestSupport
import Testing

@testable import LifelineCommand
@testable import TransportCommon

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("doctor: name, TCP, proxy")
struct DoctorNetworkTests {
    @Test("A port on which nothing listens")
    func refused() async throws {
        let examination = try await Examination.of("http://127.0.0.1:1")
        #expect(examination.firstFailure == "connection: connection-refused")
        #expect(examination.failures == 1)
        #expect(examination[.handshake] == .unreached(.connection))
    }

    @Test("A name that does not exist, for the system and for a name server that answers or does not")
    func unknownName() async throws {
        let real = try await Examination.of("http://no-such-host.invalid", lookUp: SystemResolver.lookUp)
        #expect(["resolution: name-unknown", "resolution: resolver-failed"].contains(real.firstFailure))
        for (code, expected) in [(EAI_NONAME, "name-unknown"), (EAI_AGAIN, "resolver-failed"), (EAI_FAIL, "resolver-failed")] {
            let examination = try await Examination.of(
                "http://host.test", lookUp: { _, _ in throw SystemResolver.LookupFailure(code: code) })
            #expect(examination.firstFailure == "resolution: \(expected)")
        }
        let none = try await Examination.of("http://host.test", lookUp: { _, _ in [] })
        #expect(none.firstFailure == "resolution: name-unknown")
    }

    @Test("A lookup that hangs ends in bounded time")
    func slowName() async throws {
        let gate = Gate()
        defer { gate.open() }
        let examination = try await Examination.of(
            "http://host.test", limits: [.resolution: .milliseconds(200)],
            lookUp: { _, _ in
                gate.wait()
                return []
            })
        #expect(examination.firstFailure == "resolution: resolution-timeout")
    }

    @Test("An address that swallows everything ends in bounded time")
    func blackhole() async throws {
        let hole = try Blackhole()
        let examination = try await Examination.of("http://127.0.0.1:\(hole.port)", limits: [.connection: .milliseconds(300)])
        #expect(examination.firstFailure == "connection: connect-timeout")
    }

    @Test("One of two addresses that leads nowhere is noted, and the other one used")
    func partlyReachable() async throws {
        let server = try await ScriptedServer(ScriptedServer.pusher())
        let examination = try await Examination.of(
            "http://two.test:\(server.port)",
            lookUp: { _, port in
                [try SocketAddress(ipAddress: "::1", port: port), try SocketAddress(ipAddress: "127.0.0.1", port: port)]
            })
        #expect(examination.note(.connection) == "partly-reachable")
        #expect(examination.failures == 0)
    }

    @Test("A proxy that forwards is passed through, and gets no credentials of others")
    func proxy() async throws {
        let script = ScriptedServer.pusher()
        let proxy = try await ScriptedServer(
            .init(
                respond: { head in
                    head.hasPrefix("CONNECT ") ? .bytes("HTTP/1.1 200 Connection established\r\n\r\n") : script.respond(head)
                }, message: script.message))
        let examination = try await Examination.of(
            "http://chat.test", secret: "hush", proxy: "http://user:pass%20word@127.0.0.1:\(proxy.port)",
            limits: [.roundTrip: .seconds(1)])
        #expect(["round-trip: not-delivered", "round-trip: publish-failed"].contains(examination.firstFailure))
        #expect(examination.passed.isSuperset(of: [.proxy, .upgrade, .handshake, .ping, .subscription, .privateSubscription]))
        let connects = proxy.requests.filter { $0.hasPrefix("CONNECT chat.test:80 ") }
        #expect(connects.count >= 2 && connects[0].contains("Proxy-Authorization: Basic dXNlcjpwYXNzIHdvcmQ="))
        #expect(!proxy.requests.filter { !$0.hasPrefix("CONNECT") }.joined().contains("Proxy-Authorization"))
        #expect(!examination.text.contains("pass word") && !examination.text.contains("hush"))
    }

    @Test(
        "A proxy that does not forward",
        arguments: [
            ("", "407 Proxy Authentication Required", "proxy-credentials-missing"),
            ("u:p@", "407 Proxy Authentication Required", "proxy-credentials-wrong"), ("", "403 Forbidden", "proxy-denied"),
            ("", "502 Bad Gateway", "proxy-cannot-reach"), ("", "504 Gateway Timeout", "proxy-cannot-reach"),
        ])
    func proxyRefuses(credentials: String, status: String, code: String) async throws {
        let proxy = try await ScriptedServer { _ in .last("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n") }
        let examination = try await Examination.of("https://chat.test", proxy: "http://\(credentials)127.0.0.1:\(proxy.port)")
        #expect(examination.firstFailure == "proxy: \(code)")
    }

    @Test("A proxy that is dead, hangs up, is none, or says nothing")
    func proxyDead() async throws {
        let refused = try await Examination.of("https://chat.test", proxy: "127.0.0.1:1")
        #expect(refused.firstFailure == "connection: connection-refused")
        #expect(refused.text.contains("the proxy 127.0.0.1:1"))
        for (reply, code) in [
            (ScriptedServer.Reply.last(""), "proxy-hung-up"), (.bytes("SSH-2.0-OpenSSH_9.9\r\n"), "proxy-not-http"),
        ] {
            let proxy = try await ScriptedServer { _ in reply }
            let examination = try await Examination.of("https://chat.test", proxy: "127.0.0.1:\(proxy.port)")
            #expect(examination.firstFailure == "proxy: \(code)")
        }
        let mute = try await ScriptedServer { _ in .silence }
        let examination = try await Examination.of(
            "https://chat.test", proxy: "127.0.0.1:\(mute.port)", limits: [.proxy: .milliseconds(200)])
        #expect(examination.firstFailure == "proxy: proxy-timeout")
        let unknown = try await Examination.of(
            "https://chat.test", proxy: "proxy.test:1",
            lookUp: { _, _ in
                throw SystemResolver.LookupFailure(code: EAI_NONAME)
            })
        #expect(unknown.firstFailure == "resolution: name-unknown" && unknown.text.contains("proxy.test"))
    }
}
