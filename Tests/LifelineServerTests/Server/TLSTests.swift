import Foundation
import LifelineServer
import NIOCore
import NIOSSL
import Testing

@testable import ServerTestSupport

@Suite("TLS (SV-1, SO-30 to SO-33)", .timeLimit(.minutes(1)))
struct TLSTests {
    @Test("With a certificate the same port speaks HTTPS to clients that trust it")
    func https() async throws {
        let certificate = try TestCertificate()
        try await withServer(quietApplication, { $0.tls = certificate.tls }) { server in
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            let status = try await certificate.health(of: server)
            #expect(status == 200)
        }
    }

    @Test("TLS 1.2 is spoken, nothing older")
    func versions() async throws {
        let certificate = try TestCertificate()
        try await withServer(quietApplication, { $0.tls = certificate.tls }) { server in
            let (new, old) = (
                try await certificate.health(of: server, maximum: .tlsv12),
                try await certificate.health(of: server, maximum: .tlsv11)
            )
            #expect(new == 200 && old == 0)
        }
    }

    @Test("Plain text on a TLS port is no answer and does no harm")
    func plainText() async throws {
        let certificate = try TestCertificate()
        try await withServer(quietApplication, { $0.tls = certificate.tls }) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await !socket.textToEnd().contains("200 OK"))
        }
    }

    @Test("A certificate that cannot be read is an error of the start")
    func missing() async throws {
        let tls = ServerConfiguration.TLS(certificateFile: "/nowhere/cert.pem", privateKeyFile: "/nowhere/key.pem")
        await #expect(throws: (any Error).self) { _ = try await LifelineServer.start(.init(port: 0, tls: tls)) }
    }

    @Test("An application that requires TLS takes connections over it")
    func required() async throws {
        let certificate = try TestCertificate()
        var application = quietApplication
        application.requiresTLS = true
        try await withServer(application, { $0.tls = certificate.tls }) { server in
            let client = try await TestClient.open(server, tls: certificate.trust())
            try await client.expect("pusher:connection_established")
        }
    }

    // MARK: Reload

    /// Writes a file as careful programs do: under another name, then renamed.
    private func replace(_ path: String, with text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test("A new certificate serves new connections, and open ones go on")
    func reload() async throws {
        let (old, new) = (try TestCertificate(), try TestCertificate())
        // What clients trust must not change with the file of the server.
        let oldTrust = try TestCertificate(copyOf: old)
        try await withServer(quietApplication, { $0.tls = old.tls }) { server in
            let held = try await TestClient.open(server, tls: oldTrust.trust())
            try await held.expect("pusher:connection_established")
            try replace(old.tls.certificateFile, with: new.certificate)
            try replace(old.tls.privateKeyFile, with: new.key)
            #expect(try await oldTrust.health(of: server) == 200)
            try await server.reloadCertificate()
            #expect(try await new.health(of: server) == 200)
            #expect(try await oldTrust.health(of: server) == 0)
            try await held.expectSilence()
            try await held.requestSubscription("room")
            try await held.expect("pusher_internal:subscription_succeeded")
        }
    }

    @Test(
        "A broken pair keeps the old certificate, and says why",
        arguments: ["garbage", "", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", nil])
    func broken(content: String?) async throws {
        let certificate = try TestCertificate()
        let trust = try TestCertificate(copyOf: certificate)
        try await withServer(quietApplication, { $0.tls = certificate.tls }) { server in
            if let content {
                try replace(certificate.tls.certificateFile, with: content)
            } else {
                try FileManager.default.removeItem(atPath: certificate.tls.certificateFile)
            }
            let expected = content == nil ? CertificateError.missing(.certificate) : .malformed(.certificate)
            await #expect(throws: expected) { try await server.reloadCertificate() }
            #expect(try await trust.health(of: server) == 200)
            let metrics = try await trust.body("/metrics", of: server)
            #expect(metrics.contains("lifeline_certificate_valid 0\n"))
        }
    }

    @Test("SO-34: When a certificate ends is a metric; one that has ended, or soon will, is told in the log")
    func expiry() async throws {
        let certificate = try TestCertificate()
        let expires = try certificate.tls.check()
        for (now, expected) in [
            (expires, "has expired"), (expires - 1, "expires soon"), (expires - 14 * 86_400 + 1, "expires soon"),
            (expires - 14 * 86_400, "listening"),
        ] {
            let log = LogLines()
            try await withServer(
                quietApplication,
                {
                    $0.tls = certificate.tls
                    $0.clock.unixSeconds = { now }
                    $0.logger = log.logger()
                }
            ) { server in
                await log.wait(for: expected)
                #expect(log.count(of: "the certificate") == (expected == "listening" ? 0 : 1))
                let metrics = try await certificate.body("/metrics", of: server)
                #expect(metrics.contains("lifeline_certificate_expires_seconds \(expires)\n"))
                #expect(metrics.contains("lifeline_certificate_valid 1\n"))
            }
        }
    }

    @Test("What is wrong with a pair is said, and nothing of the files")
    func problems() throws {
        let (one, other) = (try TestCertificate(), try TestCertificate())
        let nowhere = "-----BEGIN PRIVATE KEY----- hidden"
        for (certificate, key, expected) in [
            (nowhere, one.tls.privateKeyFile, CertificateError.missing(.certificate)),
            (one.tls.certificateFile, nowhere, .missing(.key)), ("/", one.tls.privateKeyFile, .unreadable(.certificate)),
            (one.tls.privateKeyFile, one.tls.privateKeyFile, .malformed(.certificate)),
            (one.tls.certificateFile, one.tls.certificateFile, .malformed(.key)),
            (one.tls.certificateFile, other.tls.privateKeyFile, .mismatch),
        ] {
            let found = #expect(throws: CertificateError.self) {
                try ServerConfiguration.TLS(certificateFile: certificate, privateKeyFile: key).check()
            }
            #expect(found == expected)
            #expect(found?.description.contains("hidden") == false)
        }
    }

    @Test("Changed files are noticed; half of a pair is an error that is told once and ends with the other half")
    func watch() async throws {
        let (old, new) = (try TestCertificate(checkInterval: .milliseconds(100)), try TestCertificate())
        let oldTrust = try TestCertificate(copyOf: old)
        let log = LogLines()
        try await withServer(
            quietApplication,
            {
                $0.tls = old.tls
                $0.logger = log.logger()
            }
        ) { server in
            try replace(old.tls.certificateFile, with: new.certificate)
            await log.wait(for: "the old one stays")
            #expect(try await oldTrust.health(of: server) == 200)
            try replace(old.tls.privateKeyFile, with: new.key)
            await log.wait(for: "the certificate has been reloaded")
            // SO-34: it is good for two days, as the first one was, which was said at the start.
            await log.wait(for: "expires soon", count: 2)
            #expect(try await new.health(of: server) == 200)
            try FileManager.default.removeItem(atPath: old.tls.privateKeyFile)
            await log.wait(for: "the old one stays", count: 2)
            #expect(try await new.health(of: server) == 200)
            try replace(old.tls.privateKeyFile, with: "no key")
            await log.wait(for: "the old one stays", count: 3)
            try replace(old.tls.privateKeyFile, with: oldTrust.key)
            await log.wait(for: "the old one stays", count: 4)
            try replace(old.tls.certificateFile, with: oldTrust.certificate)
            await log.wait(for: "the certificate has been reloaded", count: 2)
            #expect(log.count(of: "the old one stays") == 4)
            #expect(try await oldTrust.health(of: server) == 200)
        }
    }
}
