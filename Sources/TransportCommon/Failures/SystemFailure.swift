import ConnectionEngine

/// Failures for the error numbers with which Apple's systems report a failed connection (rule SO-107). The functions are pure, so that they
/// can be tested on every system.
extension ConnectionFailure {
    /// The failure for an error of name lookup. `code` is a `DNSServiceErrorType` of `dns_sd.h`.
    static func nameLookup(_ code: Int32) -> ConnectionFailure {
        switch code {
        case -65_568: ConnectionFailure(.timeout, "The name of the server could not be resolved in time.")
        case -65_570, -65_571:
            ConnectionFailure(
                .networkUnavailable,
                "The system does not allow looking up the server's name. The app may lack access to the local network.")
        default: ConnectionFailure(.networkUnavailable, "The name of the server could not be resolved.")
        }
    }

    /// The failure for an error of TLS. `status` is an `OSStatus` of `SecureTransport.h`.
    static func secureTransport(_ status: Int32, whileDialling: Bool) -> ConnectionFailure {
        let name = secureTransportNames[status] ?? "STATUS_\(status)"
        guard whileDialling else {
            return ConnectionFailure(.unexpectedDisconnect, "The connection to the server was lost.", tlsAlert: name)
        }
        switch status {
        case -9805, -9806, -9816:
            return ConnectionFailure(
                .networkUnavailable, "The server closed the connection during the TLS handshake.", tlsAlert: name)
        case -9807, -9808, -9812, -9813, -9814, -9815, -9843: return .untrusted(name)
        default:
            return ConnectionFailure(
                .tlsFailed, "The TLS handshake with the server failed. Check that the server's port uses TLS.", tlsAlert: name)
        }
    }

    /// The failure for a server's certificate that the system does not trust.
    ///
    /// - Parameter status: the reason, as an `OSStatus` of `SecBase.h`; nil when the system reports none.
    static func untrustedBySystem(status: Int?) -> ConnectionFailure {
        .untrusted(status == -67_602 ? "HOSTNAME_MISMATCH" : "CERTIFICATE_VERIFY_FAILED")
    }

    /// The failure for a client certificate that was read from PEM or DER on a system that accepts only PKCS #12 (rule SO-106).
    static let certificateNeedsPKCS12 = ConnectionFailure(
        .badRequest,
        "On Apple platforms a client certificate has to be PKCS #12. Make one with `openssl pkcs12 -export -inkey key.pem -in "
            + "certificate.pem -out client.p12`, and use ClientCertificate(pkcs12:passphrase:).")

    /// The failure for a client certificate that NIOSSL can read, but the system cannot.
    static func unusableIdentity(status: Int32) -> ConnectionFailure {
        ConnectionFailure(
            .badRequest,
            "The system cannot read the client certificate (OSStatus \(status)). Older systems need `openssl pkcs12 -export -legacy`."
        )
    }

    /// The names that BoringSSL uses for the errors of SecureTransport, by SecureTransport's error number.
    private static let secureTransportNames: [Int32: String] = [
        -9800: "PROTOCOL_ERROR", -9801: "NO_SHARED_CIPHER", -9802: "FATAL_ALERT", -9805: "CLOSED_GRACEFULLY",
        -9806: "CLOSED_BY_ERROR", -9807: "CERTIFICATE_VERIFY_FAILED", -9808: "BAD_CERTIFICATE", -9809: "CRYPTO_ERROR",
        -9810: "INTERNAL_ERROR", -9812: "UNKNOWN_ROOT", -9813: "NO_ROOT", -9814: "CERTIFICATE_EXPIRED",
        -9815: "CERTIFICATE_NOT_YET_VALID", -9816: "NO_CLOSE_NOTIFY", -9817: "BUFFER_OVERFLOW", -9818: "BAD_CIPHER_SUITE",
        -9819: "UNEXPECTED_MESSAGE", -9820: "PEER_BAD_RECORD_MAC", -9821: "PEER_DECRYPTION_FAILED",
        -9822: "PEER_RECORD_OVERFLOW", -9824: "PEER_HANDSHAKE_FAILURE", -9825: "PEER_BAD_CERTIFICATE",
        -9826: "PEER_UNSUPPORTED_CERTIFICATE", -9827: "PEER_CERTIFICATE_REVOKED", -9828: "PEER_CERTIFICATE_EXPIRED",
        -9829: "PEER_CERTIFICATE_UNKNOWN", -9830: "ILLEGAL_PARAMETER", -9831: "PEER_UNKNOWN_CA",
        -9832: "PEER_ACCESS_DENIED", -9833: "PEER_DECODE_ERROR", -9834: "PEER_DECRYPT_ERROR",
        -9836: "PEER_PROTOCOL_VERSION", -9837: "PEER_INSUFFICIENT_SECURITY", -9838: "PEER_INTERNAL_ERROR",
        -9839: "PEER_USER_CANCELLED", -9840: "PEER_NO_RENEGOTIATION", -9843: "HOSTNAME_MISMATCH", -9845: "DECRYPTION_FAILED",
        -9846: "BAD_RECORD_MAC", -9847: "RECORD_OVERFLOW", -9848: "BAD_CONFIGURATION", -9849: "UNEXPECTED_RECORD",
        -9858: "HANDSHAKE_FAILURE",
    ]
}
