import Crypto

#if canImport(Security)
    import Foundation
    import Security
#else
    import CryptoExtras
#endif

/// An RSA key of a certificate. On Apple platforms it is a key of the Security framework, so that apps need no second BoringSSL; on other
/// systems it is a key of swift-crypto.
struct RSAPublicKey {
    #if canImport(Security)
        private let key: SecKey
    #else
        private let key: _RSA.Signing.PublicKey
    #endif

    /// The smallest accepted size of an RSA key's modulus, in bytes: 2048 bits (rule WT-7).
    static let smallestModulus = 256

    /// Parses a key. Nil for a key that cannot be parsed or is too small.
    ///
    /// - Parameter info: the DER encoding of `SubjectPublicKeyInfo`.
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

    /// Whether the signature of the digest is valid for this key, with the padding of PKCS #1.
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

    /// The key inside `SubjectPublicKeyInfo`, as `RSAPublicKey` of PKCS #1, the form that the Security framework requires.
    static func content(_ info: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        do {
            var outer = DERReader(info)
            var key = try outer.sequence()
            _ = try key.sequence()
            let bits = try key.next(DERReader.Tag.bitString).content
            // The first byte, the number of unused bits, must be 0 and is left out.
            return bits.first == 0 ? bits.dropFirst() : nil
        } catch {
            return nil
        }
    }
}
