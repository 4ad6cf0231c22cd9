/// The reason why a certificate or its key cannot be used. It never contains contents or paths of the files, because some users put
/// the key itself into the setting for its path.
public enum CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file with the problem.
    public enum File: String, Hashable, Sendable {
        /// The file of the certificate.
        case certificate
        /// The file of the private key.
        case key
    }

    /// The file does not exist.
    case missing(File)
    /// The file exists, but the user of this process has no permission to read it.
    case forbidden(File)
    /// The file cannot be read.
    case unreadable(File)
    /// The file is not in PEM form, or the key has a passphrase.
    case malformed(File)
    /// The key belongs to another certificate.
    case mismatch

    public var description: String {
        switch self {
        case .missing(let file): "The file of the \(file.rawValue) does not exist. Check its path."
        case .forbidden(let file): "This process may not read the file of the \(file.rawValue). Give its user read access."
        case .unreadable(let file): "The file of the \(file.rawValue) cannot be read. Check that its path names a file."
        case .malformed(.certificate): "The file of the certificate must contain a certificate in PEM form."
        case .malformed(.key): "The file of the key must contain a private key in PEM form, without a passphrase."
        case .mismatch: "The private key does not belong to the certificate. Use the two files of one certificate."
        }
    }
}
