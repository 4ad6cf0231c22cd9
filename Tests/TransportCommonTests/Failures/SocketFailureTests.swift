import ConnectionEngine
import NIOCore
import NIOSSL
import Testing

@testable import TransportCommon

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct SocketFailureTests {
    @Test(arguments: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ECONNRESET, ENETDOWN, EPIPE, EADDRNOTAVAIL, EMFILE, EACCES, 9999])
    func `Every error number keeps its number and has its category`(number: CInt) {
        let error = IOError(errnoCode: number, reason: "secret detail")
        let dialling = ConnectionFailure.dialling(error)
        #expect(dialling.category == .networkUnavailable && dialling.errno == number && dialling.origin == .local)
        let lost = ConnectionFailure.lost(error)
        #expect(lost.category == .unexpectedDisconnect && lost.errno == number)
        #expect(!lost.description.contains("secret"))
    }

    @Test func `A dial that takes too long is a timeout`() {
        #expect(ConnectionFailure.dialling(IOError(errnoCode: ETIMEDOUT, reason: "")).category == .timeout)
        #expect(ConnectionFailure.dialling(ChannelError.connectTimeout(.seconds(1))).category == .timeout)
    }

    @Test func `Failures that are explained already stay as they are`() {
        let failure = ConnectionFailure(.refused, "no")
        #expect(ConnectionFailure.dialling(failure) == failure)
        #expect(ConnectionFailure.lost(failure) == failure)
    }

    @Test func `Errors of TLS are told apart by what was not accepted`() {
        #expect(ConnectionFailure.dialling(NIOSSLExtraError.failedToValidateHostname).category == .tlsUntrusted)
        #expect(ConnectionFailure.dialling(NIOSSLError.unableToValidateCertificate).category == .tlsUntrusted)
        #expect(ConnectionFailure.dialling(CertificateFault.weakSignature).category == .tlsUntrusted)
        #expect(ConnectionFailure.dialling(NIOSSLExtraError.invalidSNIHostname).category == .tlsFailed)
        #expect(
            ConnectionFailure.dialling(NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake]))).category
                == .networkUnavailable)
        #expect(ConnectionFailure.lost(NIOSSLError.uncleanShutdown).category == .unexpectedDisconnect)
    }

    @Test func `A file of trusted certificates that cannot be read is said so`() {
        #expect(throws: ConnectionFailure.self) { try TrustRoots.file("/nonexistent/ca.pem").context() }
    }

    @Test func `All connections with the same roots share one context`() throws {
        #expect(try TrustRoots.system.context() === TrustRoots.system.context())
    }
}
