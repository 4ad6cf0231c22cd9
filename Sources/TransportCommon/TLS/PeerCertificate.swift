import NIOCore
import NIOSSL

extension ChannelPipeline.SynchronousOperations {
    /// Refuses a peer whose certificate is not good enough, once the TLS handshake is done (rule WT-7). Call on the loop.
    ///
    /// Nothing happens on a connection without TLS.
    public func checkPeerCertificate() throws {
        guard let handler = try? handler(type: NIOSSLClientHandler.self) else { return }
        guard let certificate = handler.peerCertificate else { throw CertificateFault.unacceptable }
        try certificate.checkStrength()
    }
}
