import Crypto

#if canImport(Security)
    import Foundation
    import Security
#else
    import CryptoExtras
#endif

/// An RSA key of a certificate: from the system on Apple platforms, so that apps need no second BoringSSL for it, and from swift-crypto
/// elsewhere.
struct RSAPublicKey {
    #if canImport(Security)
        private let key: SecKey
    #else
        private let key: _RSA.Signing.PublicKey
    #endif

    /// The smallest key that is accepted, in bytes of its modulus: 2048 bits (rule WT-7).
    static let smallestModulus = 256

    /// Nil for a key that cannot be read or is too small.
    ///
    /// - Parameter info: `SubjectPublicKeyInfo`.
    init?(_ info: ArraySlice<UInt8>) {
        #if canImport(Security)
            let attributes =
                [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic] as [CFString: Any]
            guard let content = Self.content(info),
                let key = SecKeyCreateWithData(Data(content) as CFData, attributes as CFDictionary, nil),
                SecKeyGetBlockSize(key) >= Self.smallestModulus
            else { return nil }
        #else
            guard let key = try? _RSA.Signing.PublicKey(derRepresentation: info) else { return nil }
        #endif
        self.key = key
    }

    /// Whether the signature over the digest is valid for this key, with the padding of PKCS #1.
    func isValid(_ signature: ArraySlice<UInt8>, for digest: some Digest) -> Bool {
        #if canImport(Security)
            let algorithm: SecKeyAlgorithm
            switch digest {
            case is SHA256.Digest: algorithm = .rsaSignatureDigestPKCS1v15SHA256
            case is SHA384.Digest: algorithm = .rsaSignatureDigestPKCS1v15SHA384
            case is SHA512.Digest: algorithm = .rsaSignatureDigestPKCS1v15SHA512
            default: return false
            }
            return SecKeyVerifySignature(key, algorithm, Data(digest) as CFData, Data(signature) as CFData, nil)
        #else
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        #endif
    }

    /// The key within `SubjectPublicKeyInfo`: `RSAPublicKey` of PKCS #1, as the Security framework requires it.
    static func content(_ info: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        do {
            var outer = DERReader(info)
            var key = try outer.sequence()
            _ = try key.sequence()
            let bits = try key.next(DERReader.Tag.bitString).content
            // The first byte is the number of unused bits of the last byte.
            return bits.first == 0 ? bits.dropFirst() : nil
        } catch {
            return nil
        }
    }
}
