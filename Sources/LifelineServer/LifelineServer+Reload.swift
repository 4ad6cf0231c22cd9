import NIOPosix

// Changes while the server runs.
extension LifelineServer {
    /// Reads certificate and key again: new connections get them, old ones go on. Does nothing without TLS.
    ///
    /// The files are also looked at by themselves (``ServerConfiguration/TLS/checkInterval``).
    /// - Throws: what is wrong with the files; the server goes on with what it has (rule SO-32).
    public func reloadCertificate() async throws {
        guard let certificate else { return }
        try await NIOThreadPool.singleton.runIfActive { try certificate.reload() }
    }
}
