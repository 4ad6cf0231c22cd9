import NIOCore
import NIOSSL

extension ChannelPipeline.SynchronousOperations {
    /// Refuses a peer whose certificate is not good enough, or has none of the pinned keys, once the TLS handshake is done
    /// (rules WT-7 and WT-17). Call on the loop.
    ///
    /// Nothing happens on a connection without TLS.
    public func checkPeerCertificate(pins: CertificatePins? = nil) throws {
        guard let handler = try? handler(type: NIOSSLClientHandler.self) else { return }
        guard let certificate = handler.peerCertificate else { throw CertificateFault.unacceptable }
        try certificate.checkStrength()
        guard let pins else { return }
        // Without the verified chain the server's own certificate alone is proven.
        let verified = handler.peerValidatedCertificateChain.map { Array($0) } ?? [certificate]
        if !pins.fit(verified) { throw CertificateFault.unpinned(CertificatePins.pin(of: certificate) ?? "unreadable") }
    }
}
