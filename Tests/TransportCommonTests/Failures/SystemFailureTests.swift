import ConnectionEngine
import Testing

@testable import TransportCommon

/// Rule SO-107: numbers of Apple's system, which is not needed to translate them.
@Suite struct SystemFailureTests {
    @Test(arguments: [-65_537, -65_538, -65_554, -65_563, 0, 7] as [Int32])
    func `A name that is not found is a matter of the network`(code: Int32) {
        let failure = ConnectionFailure.nameLookup(code)
        #expect(failure.category == .networkUnavailable && failure.reason == "The name of the server could not be resolved.")
    }

    @Test func `A name server that is late, and a system that forbids the lookup, are told apart`() {
        #expect(ConnectionFailure.nameLookup(-65_568).category == .timeout)
        for code in [-65_570, -65_571] as [Int32] {
            #expect(ConnectionFailure.nameLookup(code).reason.contains("access to the local network"))
        }
    }

    @Test(arguments: [-9807, -9808, -9812, -9813, -9814, -9815, -9843] as [Int32])
    func `Certificates that are not accepted are untrusted`(status: Int32) {
        let failure = ConnectionFailure.secureTransport(status, whileDialling: true)
        #expect(failure.category == .tlsUntrusted && failure.tlsAlert?.isEmpty == false)
    }

    @Test(arguments: [-9805, -9806, -9816] as [Int32])
    func `A handshake that is cut is a matter of the network`(status: Int32) {
        #expect(ConnectionFailure.secureTransport(status, whileDialling: true).category == .networkUnavailable)
    }

    @Test func `All other errors of TLS are failed handshakes, those of a live link its loss, and each has a name`() {
        for status in [-9801, -9824, -9836, -9858] as [Int32] {
            let failure = ConnectionFailure.secureTransport(status, whileDialling: true)
            #expect(failure.category == .tlsFailed && failure.tlsAlert?.hasPrefix("STATUS") == false)
        }
        #expect(ConnectionFailure.secureTransport(-4711, whileDialling: true).tlsAlert == "STATUS_-4711")
        let lost = ConnectionFailure.secureTransport(-9846, whileDialling: false)
        #expect(lost.category == .unexpectedDisconnect && lost.tlsAlert == "BAD_RECORD_MAC")
    }

    @Test func `The verdict of the system has the names that NIOSSL's has`() {
        #expect(ConnectionFailure.untrustedBySystem(status: -67_602).tlsAlert == "HOSTNAME_MISMATCH")
        for status in [-67_818, -67_843, nil] {
            let failure = ConnectionFailure.untrustedBySystem(status: status)
            #expect(failure.category == .tlsUntrusted && failure.tlsAlert == "CERTIFICATE_VERIFY_FAILED")
        }
    }

    @Test func `SO-106: a certificate that the system cannot use says what to do`() {
        let pem = ConnectionFailure.certificateNeedsPKCS12
        #expect(pem.category == .badRequest && pem.reason.contains("openssl pkcs12 -export"))
        #expect(pem.reason.contains("ClientCertificate(pkcs12:passphrase:)"))
        let old = ConnectionFailure.unusableIdentity(status: -25_264)
        #expect(old.category == .badRequest && old.reason.contains("-25264") && old.reason.contains("-legacy"))
    }
}
