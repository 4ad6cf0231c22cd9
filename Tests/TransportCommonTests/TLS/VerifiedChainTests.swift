import NIOSSL
import Testing

@testable import TransportCommon

/// Rule SO-105: what is demanded of a chain that the system has verified, whichever TLS it came with.
@Suite struct VerifiedChainTests {
    private let root: TestIssuer
    private let middle: TestIssuer
    private let chain: [NIOSSLCertificate]

    init() throws {
        root = try TestIssuer("Root")
        middle = try TestIssuer("Middle")
        chain = try [middle.server(TestIssuer("Server")), root.authority(for: middle), root.authority()]
    }

    private func fault(
        _ chain: [NIOSSLCertificate], host: String? = "host.test", pin: NIOSSLCertificate? = nil
    ) throws -> CertificateFault? {
        let pins = try pin.map { try CertificatePins([#require(CertificatePins.pin(of: $0))]) }
        do throws(CertificateFault) {
            try chain.checkChain(pins: pins, host: host)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A pin of any certificate of the chain is enough, the root's included`() throws {
        #expect(try fault(chain) == nil)
        for certificate in chain { #expect(try fault(chain, pin: certificate) == nil) }
        let stranger = try TestIssuer("Stranger").authority()
        let own = try #require(CertificatePins.pin(of: chain[0]))
        #expect(try fault(chain, pin: stranger) == .unpinned(own))
        #expect(try fault([chain[0]], pin: chain[1]) == .unpinned(own))
    }

    @Test func `The first certificate has to name the host, and there has to be one`() throws {
        #expect(try fault(chain, host: "other.test") == .wrongName)
        #expect(try fault(chain, host: nil) == nil)
        #expect(try fault([]) == .unacceptable)
        #expect(try fault(Array(chain.dropFirst())) == .noSubjectAlternativeName)
    }
}
