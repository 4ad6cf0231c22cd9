import Foundation
import NIOCore
import NIOSSL
import RedisClient
import RedisTestSupport
import Testing

@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(3)))
struct RedisSecurityServerTests {
    @Test func `RC-23 A wrong password stops the link and says so; started again, the right one connects`() async throws {
        let server = try RedisProcess(["--requirepass", "hunter2"])
        let admin = try await LiveLink.admin(server, ":hunter2@")
        for (credentials, code) in [("", "NOAUTH"), (":wrong@", "WRONGPASS"), ("nobody:hunter2@", "WRONGPASS")] {
            let live = try LiveLink(server, credentials)
            let event = try await live.waitForTrouble { $0.code == code }
            guard case .status(.commands, .stopped(let loss)) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(!loss.description.contains("hunter2"))
            await #expect(throws: RedisFailure.unsent(loss)) { try await live.send("PING") }
        }
        let late = try LiveLink(server, "joe:pw@")
        // Either connection may be the first.
        for _ in RedisLane.allCases {
            _ = try await late.events.next {
                if case .status(_, .stopped(let loss)) = $0 { loss.code == "WRONGPASS" } else { false }
            }
        }
        try await admin.send("ACL", "SETUSER", "joe", "on", ">pw", "~*", "&*", "+@all")
        late.link.start()
        try await late.waitForRestored()
        #expect(try await late.send("SET", "k", "v") == .simple("OK"))
    }

    @Test func `RC-26 A right that is missing is told to the caller, and the link goes on`() async throws {
        let server = try RedisProcess()
        let admin = try await LiveLink.admin(server)
        try await admin.send(
            "ACL", "SETUSER", "joe", "on", ">pw", "~mine:*", "&mine:*", "&lifeline:probe:*", "+@all", "-flushall")
        let live = try LiveLink(server, "joe:pw@")
        try await live.subscribe("mine:a")
        for (name, key) in [("SET", "other"), ("FLUSHALL", "SYNC")] {
            do {
                try await live.send(name, .text(key), "v")
                Issue.record("\(name) was accepted.")
            } catch {
                #expect(error.code == "NOPERM")
            }
        }
        do {
            try await live.subscribe("other")
            Issue.record("The subscription was accepted.")
        } catch {
            #expect(error.code == "NOPERM")
        }
        #expect(try await live.send("SET", "mine:k", "v") == .simple("OK"))
        #expect(try await live.send("PUBLISH", "mine:a", "x").number == 1)
        #expect(try await live.message() == ("mine:a", "x"))
    }

    @Test func `RC-9 A user without the rights that a link needs is told which`() async throws {
        let server = try RedisProcess()
        let admin = try await LiveLink.admin(server)
        try await admin.send("ACL", "SETUSER", "norole", "on", ">pw", "~*", "&*", "+@all", "-role")
        try await admin.send("ACL", "SETUSER", "noprobe", "on", ">pw", "~*", "&mine:*", "+@all")
        let (noRole, noProbe) = (try LiveLink(server, "norole:pw@"), try LiveLink(server, "noprobe:pw@"))
        try await noRole.waitForTrouble { $0.code == "NOPERM" && $0.description.contains("role") }
        try await noProbe.waitForTrouble(.messages) { $0.code == "NOPERM" }
        for live in [noRole, noProbe] { live.link.close() }
    }

    @Test func `RC-18 With TLS the certificate is judged before the password is sent`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-redis-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (folder.appendingPathComponent("cert.pem").path, folder.appendingPathComponent("key.pem").path)
        try RedisProcess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ])
        let server = try RedisProcess([
            "--port", "0", "--tls-port", "PORT", "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-auth-clients",
            "no", "--requirepass", "pw",
        ])
        var trusting = TLSConfiguration.makeClientConfiguration()
        trusting.trustRoots = .file(certificate)
        let tls = RedisTLS(trusting)
        let live = try LiveLink(server, ":pw@") { $0.endpoint.tls = tls }
        #expect(try await live.send("SET", "k", "v") == .simple("OK"))
        try await live.waitForRestored()
        let stranger = try LiveLink(server, ":wrong@") { $0.endpoint.tls = RedisTLS() }
        try await stranger.waitForTrouble {
            if case .network(let failure) = $0 { failure.category == .tlsUntrusted } else { false }
        }
        // The server would have noted the wrong password.
        #expect(try await live.send("ACL", "LOG") == .array([]))
        let plain = try LiveLink(server, ":pw@")
        try await plain.waitForTrouble { if case .network = $0 { true } else { false } }
    }
}
