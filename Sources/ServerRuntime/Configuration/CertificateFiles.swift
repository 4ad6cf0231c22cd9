/// Certificate and key for TLS, both in PEM files.
public struct CertificateFiles: Hashable, Sendable {
    /// The path of a file that contains the server's certificate, followed by the certificates of its issuers.
    public var certificateFile: String
    /// The path of the private key.
    public var privateKeyFile: String
    /// How often the server checks the files for new content; nil for never. New connections use the new content. At least 100 ms.
    public var checkInterval: Duration?

    /// Paths of PEM files.
    public init(certificateFile: String, privateKeyFile: String, checkInterval: Duration? = .seconds(10)) {
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
        self.checkInterval = checkInterval
    }
}
