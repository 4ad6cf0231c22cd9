import Crypto
import Foundation
import NIOSSL

/// Pinned public keys. A server's certificate chain must contain at least one of them, in addition to all other checks of the certificate.
///
/// A pin is the SHA-256 of a certificate's public key with its algorithm (`SubjectPublicKeyInfo`), in base64. RFC 7469 calls it
/// `pin-sha256`, and OkHttp `sha256/…`. A pin stays valid when a certificate is renewed with the same key. Pin at least two keys, one of
/// them in reserve: with a single pin, replacing the key locks out every client (rule WT-17).
///
/// This command prints the pin of a certificate file: `openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform der |
/// openssl dgst -sha256 -binary | base64`.
public struct CertificatePins: Hashable, Sendable {
    /// The SHA-256 digests of the pinned keys, 32 bytes each; never empty.
    private let digests: Set<[UInt8]>

    /// Parses pins in base64, with or without the prefix `sha256/` (or `sha256//`, as in curl).
    ///
    /// - Throws: ``Malformed`` for a text that is not the base64 of 32 bytes, and for an empty list.
    public init(_ pins: some Sequence<String>) throws(Malformed) {
        var digests: Set<[UInt8]> = []
        for pin in pins {
            guard let digest = Self.digest(pin) else { throw Malformed(pin: pin) }
            digests.insert(digest)
        }
        if digests.isEmpty { throw Malformed(pin: nil) }
        self.digests = digests
    }

    /// The error for a text that is not a pin, or for an empty list.
    public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// The invalid text; nil when the list was empty.
        public var pin: String?

        public var description: String {
            guard let pin else { return "The list of certificate pins is empty." }
            return "\(pin.prefix(100).debugDescription) is not a certificate pin: the base64 of a SHA-256 (32 bytes) is expected."
        }
    }

    private static func digest(_ pin: String) -> [UInt8]? {
        var text = Substring(pin)
        if text.hasPrefix("sha256/") { text = text.dropFirst("sha256/".count) }
        // A 45th character can only be the second slash of the prefix `sha256//`: the base64 of 32 bytes has 44 characters, the first of
        // which may be a slash as well.
        if text.utf8.count == 45, text.hasPrefix("/") { text = text.dropFirst() }
        guard text.utf8.count == 44, let bytes = Data(base64Encoded: String(text)), bytes.count == 32 else { return nil }
        return Array(bytes)
    }

    /// Whether one of the certificates has a pinned key. The certificates must have been verified before: the server's own certificate, or
    /// a chain that leads to a trusted root.
    func fit(_ verified: some Sequence<NIOSSLCertificate>) -> Bool {
        verified.contains { certificate in Self.digest(of: certificate).map { digests.contains($0) } ?? false }
    }

    private static func digest(of certificate: NIOSSLCertificate) -> [UInt8]? {
        (try? certificate.extractPublicKey().toSPKIBytes()).map { Array(SHA256.hash(data: $0)) }
    }

    /// The pin of a certificate, as `sha256/…`; nil when its key cannot be parsed. A pin is not secret.
    public static func pin(of certificate: NIOSSLCertificate) -> String? {
        digest(of: certificate).map { "sha256/\(Data($0).base64EncodedString())" }
    }
}
