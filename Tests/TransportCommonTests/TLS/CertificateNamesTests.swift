import NIOSSL
import Testing

@testable import TransportCommon

/// Rule WT-7: which names of a certificate are those of a host.
@Suite struct CertificateNamesTests {
    @Test(arguments: [
        ("localhost", "LOCALHOST", true), ("LocalHost", "localhost.", true), ("*.rl.test", "ws.rl.test", true),
        ("*.rl.test", "rl.test", false), ("*.rl.test", ".rl.test", false), ("*.rl.test", "a.b.rl.test", false),
        ("*.test", "evil.test.example", false), ("*", "localhost", false), ("w*.rl.test", "ws.rl.test", false), ("", "", false),
        ("", ".", false), ("rl.test", "evilrl.test", false),
    ])
    func `A wildcard stands for one whole label`(name: String, host: String, fits: Bool) {
        #expect(NIOSSLCertificate.matches(name, host) == fits)
    }
}
