import NIOCore
import NIOSSL

extension ChannelPipeline.SynchronousOperations {
    /// Returns a function that tests whether the peer's certificate is valid for a name or an address; nil without TLS. Call it on the
    /// event loop.
    public var peerNames: (@Sendable (String) -> Bool)? {
        guard let handler = try? handler(type: NIOSSLClientHandler.self) else { return nil }
        guard let certificate = handler.peerCertificate else { return { _ in false } }
        return { certificate.names($0) }
    }

    /// Throws if the peer's certificate does not meet the requirements, or its chain has none of the pinned keys (rules WT-7 and WT-17).
    /// Call it on the event loop when the TLS handshake is complete.
    ///
    /// Does nothing on a connection without TLS.
    ///
    /// - Parameter host: the host that the certificate must name; nil when the name is checked elsewhere.
    public func checkPeerCertificate(pins: CertificatePins? = nil, host: String? = nil) throws {
        guard let handler = try? handler(type: NIOSSLClientHandler.self) else { return }
        guard let certificate = handler.peerCertificate else { throw CertificateFault.unacceptable }
        // If the TLS library does not expose the verified chain, only the server's own certificate is known to be valid.
        let verified = handler.peerValidatedCertificateChain.map { Array($0) } ?? [certificate]
        try verified.checkChain(pins: pins, host: host)
    }
}

extension [NIOSSLCertificate] {
    /// Checks a chain whose dates and signatures were verified; the server's own certificate comes first. Throws if it does not meet the
    /// requirements, is not for `host`, or has none of the pinned keys (rules WT-7 and WT-17).
    ///
    /// - Parameter host: the host that the certificate must name; nil when the name is checked elsewhere.
    func checkChain(pins: CertificatePins?, host: String?) throws(CertificateFault) {
        guard let certificate = first else { throw .unacceptable }
        try certificate.checkStrength()
        if let host, !certificate.names(host) { throw .wrongName }
        if let pins, !pins.fit(self) { throw .unpinned(CertificatePins.pin(of: certificate) ?? "unreadable") }
    }
}
