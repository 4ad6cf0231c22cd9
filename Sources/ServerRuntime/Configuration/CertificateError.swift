/// Why a certificate or its key cannot be used. Never holds anything of the files, not even their paths: some put the key itself
/// where the path belongs.
public enum CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One of the two files.
    public enum File: String, Hashable, Sendable {
        case certificate
        case key
    }

    case missing(File)
    /// It is there, and this user may not read it.
    case forbidden(File)
    case unreadable(File)
    /// Not in PEM; for keys also: with a passphrase, which nobody could give.
    case malformed(File)
    /// The key is another certificate's.
    case mismatch

    public var description: String {
        switch self {
        case .missing(let file): "The file of the \(file.rawValue) does not exist."
        case .forbidden(let file): "The file of the \(file.rawValue) may not be read by the user that runs this."
        case .unreadable(let file): "The file of the \(file.rawValue) cannot be read."
        case .malformed(.certificate): "The file of the certificate holds none in PEM form."
        case .malformed(.key): "The file of the key holds none in PEM form without a passphrase."
        case .mismatch: "Certificate and key do not belong together."
        }
    }
}
