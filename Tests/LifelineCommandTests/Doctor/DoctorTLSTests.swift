import NIOCore
import Testing
import X509

@testable import LifelineCommand

@Suite("doctor: TLS and certificates")
struct DoctorTLSTests {
    @Test("A good certificate is described, and everything behind it works")
    func good() async throws {
        let authority = try TestAuthority()
        let server = try await ScriptedServer(tls: authority.server(), ScriptedServer.pusher())
        let examination = try await Examination.of("wss://localhost:\(server.port)/app/app-key", ca: authority.file)
        #expect(examination.failures == 0 && examination.passed.contains(.subscription))
        guard case .passed(let words)? = examination[.tls] else {
            Issue.record("\(examination.text)")
            return
        }
        #expect(
            words.contains("TLS 1.3") && words.contains("CN=localhost") && words.contains("CN=Doctor Test Root")
                && words.contains("pin sha256/"))
        #expect(words.contains("valid for 364 days") || words.contains("valid for 365 days"))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var code: String
        var name: String? = "localhost"
        var days: ClosedRange<Double> = -1...365
        var isSelfSigned = false
        /// Whether the client trusts the authority.
        var isTrusted = true
        /// For what the certificate may be used; nil for everything.
        var usages: [ExtendedKeyUsage.Usage]?

        var testDescription: String { code }
    }

    @Test(
        "Each bad certificate is told apart",
        arguments: [
            Case(code: "certificate-expired", days: -30 ... -2), Case(code: "certificate-not-yet-valid", days: 2...30),
            Case(code: "certificate-wrong-name", name: "other.test"), Case(code: "certificate-wrong-name", name: nil),
            Case(code: "certificate-self-signed", isSelfSigned: true), Case(code: "certificate-untrusted", isTrusted: false),
            Case(code: "certificate-wrong-usage", usages: [.clientAuth]),
            Case(code: "certificate-wrong-usage", isTrusted: false, usages: [.clientAuth, .emailProtection]),
        ])
    func bad(example: Case) async throws {
        let authority = try TestAuthority()
        let trusted = example.isTrusted ? authority : try TestAuthority("Another Root")
        let context = try authority.server(
            name: example.name, days: example.days, isSelfSigned: example.isSelfSigned, usages: example.usages)
        let server = try await ScriptedServer(tls: context, ScriptedServer.pusher())
        let examination = try await Examination.of("https://localhost:\(server.port)", secret: "hush", ca: trusted.file)
        #expect(examination.firstFailure == "tls: \(example.code)")
        #expect(server.requests.isEmpty, "Nothing is sent to a server that is not trusted.")
        if example.code == "certificate-untrusted" { #expect(examination.text.contains("Doctor Test Root")) }
        if example.name == "other.test" { #expect(examination.text.contains("other.test")) }
    }

    @Test("A certificate that ends soon is noted")
    func soon() async throws {
        let authority = try TestAuthority()
        let server = try await ScriptedServer(tls: authority.server(days: -1...5.5), ScriptedServer.pusher())
        let examination = try await Examination.of("https://localhost:\(server.port)", ca: authority.file)
        #expect(examination.note(.tls) == "certificate-expires-soon" && examination.failures == 0)
    }

    @Test("https where there is no TLS, and http where there is")
    func wrongScheme() async throws {
        let greeter = try await ScriptedServer { _ in .silence }
        let authority = try TestAuthority()
        let secure = try await ScriptedServer(tls: authority.server(), ScriptedServer.pusher())
        let http = try await Examination.of("http://localhost:\(secure.port)")
        #expect(http.firstFailure == "http: tls-expected")
        let mute = try await Examination.of("https://localhost:\(greeter.port)", limits: [.tls: .milliseconds(300)])
        #expect(mute.firstFailure == "tls: tls-timeout")
        let real = try await LifelineServerForDoctor.start()
        let https = try await Examination.of(real.url.replacing("http:", with: "https:"))
        try await real.stop()
        #expect(https.firstFailure == "tls: no-tls-here")
    }

    @Test("A file of authorities that is none")
    func unreadable() async throws {
        let server = try await ScriptedServer { _ in .silence }
        let examination = try await Examination.of("https://localhost:\(server.port)", ca: "/nonexistent/ca.pem")
        #expect(examination.firstFailure == "tls: ca-unreadable")
    }
}
