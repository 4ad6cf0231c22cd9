/// Certificate and key for TLS, both in PEM files.
public struct CertificateFiles: Hashable, Sendable {
    /// The server's certificate, followed by those of its issuers.
    public var certificateFile: String
    public var privateKeyFile: String
    /// How often the files are looked at for new content, which then serves new connections; nil for never. At least 100 ms.
    public var checkInterval: Duration?

    public init(certificateFile: String, privateKeyFile: String, checkInterval: Duration? = .seconds(10)) {
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
        self.checkInterval = checkInterval
    }
}
