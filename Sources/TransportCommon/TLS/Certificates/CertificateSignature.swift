import Crypto

/// The signature algorithm of a certificate. Algorithms that are not listed are refused.
enum SignatureAlgorithm: Hashable {
    case rsaSHA1, rsaSHA256, rsaSHA384, rsaSHA512, ecdsaSHA256, ecdsaSHA384, ecdsaSHA512, ed25519

    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1]
    private static let ecdsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3]

    /// Parses an algorithm identifier; nil for an algorithm that is not listed above.
    init?(_ identifier: DERReader.Value) throws(DERReader.Malformed) {
        var inner = identifier.inner
        let name = try inner.next(DERReader.Tag.object).content
        switch (Array(name.dropLast()), name.last) {
        case (Self.rsa, 5): self = .rsaSHA1
        case (Self.rsa, 11): self = .rsaSHA256
        case (Self.rsa, 12): self = .rsaSHA384
        case (Self.rsa, 13): self = .rsaSHA512
        case (Self.ecdsa, 2): self = .ecdsaSHA256
        case (Self.ecdsa, 3): self = .ecdsaSHA384
        case (Self.ecdsa, 4): self = .ecdsaSHA512
        case ([0x2B, 0x65], 0x70): self = .ed25519
        default: return nil
        }
    }
}

/// The public key of a certificate. RSA keys below 2048 bits, and keys of algorithms or curves that are not listed, are refused.
enum CertificateKey {
    case rsa(RSAPublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// Parses a key. Nil for a malformed key, an RSA key below 2048 bits, and a key of another algorithm or curve.
    ///
    /// - Parameter info: the DER encoding of the key's `SubjectPublicKeyInfo`.
    init?(_ info: ArraySlice<UInt8>) {
        guard let (algorithm, parameter) = Self.algorithm(info) else { return nil }
        switch (algorithm, parameter) {
        case ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1], _):
            guard let key = RSAPublicKey(info) else { return nil }
            self = .rsa(key)
        case ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1], [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]):
            guard let key = try? P256.Signing.PublicKey(derRepresentation: info) else { return nil }
            self = .p256(key)
        case ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1], [0x2B, 0x81, 4, 0, 34]):
            guard let key = try? P384.Signing.PublicKey(derRepresentation: info) else { return nil }
            self = .p384(key)
        case ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1], [0x2B, 0x81, 4, 0, 35]):
            guard let key = try? P521.Signing.PublicKey(derRepresentation: info) else { return nil }
            self = .p521(key)
        case ([0x2B, 0x65, 0x70], _):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: info.suffix(32)) else { return nil }
            self = .ed25519(key)
        default: return nil
        }
    }

    /// The algorithm of a key, and its curve if it has one; nil for a malformed key.
    private static func algorithm(_ info: ArraySlice<UInt8>) -> (algorithm: [UInt8], parameter: [UInt8])? {
        do {
            var outer = DERReader(info)
            var key = try outer.sequence()
            var identifier = try key.sequence()
            let algorithm = try identifier.next(DERReader.Tag.object).content
            let parameter = try identifier.nextIfPresent(DERReader.Tag.object)?.content ?? []
            return (Array(algorithm), Array(parameter))
        } catch {
            return nil
        }
    }

    /// Whether the certificate has a valid signature by this key, with an accepted algorithm.
    func hasSigned(_ certificate: CertificateContent) -> Bool {
        let (signature, signed) = (certificate.signature, certificate.signedPart)
        switch certificate.signatureAlgorithm {
        case .rsaSHA256, .ecdsaSHA256: return isValid(signature, for: SHA256.hash(data: signed), certificate)
        case .rsaSHA384, .ecdsaSHA384: return isValid(signature, for: SHA384.hash(data: signed), certificate)
        case .rsaSHA512, .ecdsaSHA512: return isValid(signature, for: SHA512.hash(data: signed), certificate)
        case .ed25519:
            guard case .ed25519(let key) = self else { return false }
            return key.isValidSignature(signature, for: signed)
        case .rsaSHA1, nil: return false
        }
    }

    private func isValid(_ signature: ArraySlice<UInt8>, for digest: some Digest, _ certificate: CertificateContent) -> Bool {
        let isRSA = [.rsaSHA256, .rsaSHA384, .rsaSHA512].contains(certificate.signatureAlgorithm)
        switch self {
        case .rsa(let key):
            return isRSA && key.isValid(signature, for: digest)
        case .p256(let key):
            guard !isRSA, let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard !isRSA, let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p521(let key):
            guard !isRSA, let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .ed25519: return false
        }
    }
}
