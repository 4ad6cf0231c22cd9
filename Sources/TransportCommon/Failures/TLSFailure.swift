import ConnectionEngine
import NIOSSL

extension ConnectionFailure {
    /// Returns the failure for an error of the TLS library; nil for any other error (rule WT-8).
    ///
    /// A refused chain, name or date is `tlsUntrusted`, every other failed handshake is `tlsFailed`, and an interrupted handshake is a
    /// network failure.
    public static func tls(_ error: any Error) -> ConnectionFailure? {
        switch error {
        case let error as NIOSSLError: library(error)
        case let error as NIOSSLExtraError: extra(error)
        case CertificateFault.unpinned(let pin): unpinned(pin)
        case let error as CertificateFault: untrusted(error.description)
        case let error as BoringSSLError: handshake(error)
        default: nil
        }
    }

    private static func library(_ error: NIOSSLError) -> ConnectionFailure {
        switch error {
        case .handshakeFailed(let cause): handshake(cause)
        case .noCertificateToValidate: untrusted("NO_CERTIFICATE")
        case .unableToValidateCertificate: untrusted("CERTIFICATE_VERIFY_FAILED")
        case .cannotFindPeerIP: untrusted("NO_PEER_ADDRESS")
        case .uncleanShutdown, .readInInvalidTLSState:
            ConnectionFailure(
                .networkUnavailable, "The server closed the connection without the closing message of TLS.",
                tlsAlert: "NO_CLOSE_NOTIFY")
        default: ConnectionFailure(.tlsFailed, "The TLS library reported an error without a known reason.")
        }
    }

    private static func extra(_ error: NIOSSLExtraError) -> ConnectionFailure {
        switch error {
        case .failedToValidateHostname, .serverHostnameImpossibleToMatch: untrusted("HOSTNAME_MISMATCH")
        default: ConnectionFailure(.tlsFailed, "The TLS library reported an error without a known reason.")
        }
    }

    private static func handshake(_ error: BoringSSLError) -> ConnectionFailure {
        let words = String(describing: error)
        if words.contains("EOF during handshake") || words.contains("eofDuringHandshake") {
            return ConnectionFailure(.networkUnavailable, "The server closed the connection during the TLS handshake.")
        }
        let name = alertName(in: words)
        if name == "CERTIFICATE_VERIFY_FAILED" { return untrusted("CERTIFICATE_VERIFY_FAILED") }
        return ConnectionFailure(
            .tlsFailed, "The TLS handshake with the server failed. Check that the server's port uses TLS.", tlsAlert: name)
    }

    static func untrusted(_ alert: String) -> ConnectionFailure {
        ConnectionFailure(
            .tlsUntrusted, "The server's certificate is not accepted: its chain, host name, dates or key did not pass the check.",
            tlsAlert: alert)
    }

    private static func unpinned(_ pin: String) -> ConnectionFailure {
        ConnectionFailure(
            .tlsUntrusted, "The server's certificate is valid, but has none of the pinned keys: its own pin is \(pin).",
            tlsAlert: "PIN_MISMATCH")
    }

    /// Extracts the TLS library's name of the last error from its text: the part that is neither a number nor a file and line.
    private static func alertName(in words: String) -> String? {
        let marker = "OPENSSL_internal:"
        var rest = Substring(words)
        while let first = rest.firstIndex(of: "O") {
            rest = rest[first...]
            if rest.hasPrefix(marker) {
                let name = rest.dropFirst(marker.count).prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
                return name.isEmpty ? nil : String(name)
            }
            rest = rest.dropFirst()
        }
        return nil
    }
}
