import Foundation
import NIOSSL

/// A certificate with its private key, by which a client identifies itself to servers: mutual TLS (rule WT-50).
///
/// The certificate is presented only to servers that request one. Certificate and key are read when the value is made, and are checked to
/// belong together. When they are renewed, make a new value and a new client. Descriptions show neither of them.
public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The client's own certificate, followed by the intermediate certificates.
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// The archive from which the certificate was read, for Network.framework, which accepts no other format (rule SO-106). Nil if it was
    /// read from PEM or DER.
    private(set) var archive: Archive?

    /// A PKCS #12 archive with its passphrase. Both are secret.
    struct Archive: Hashable, Sendable {
        let bytes: [UInt8]
        let passphrase: String
    }

    /// Reads PEM files. Blocks while it reads them.
    ///
    /// - Parameters:
    ///   - certificateFile: the path of the certificate, followed by intermediate certificates.
    ///   - keyFile: the path of the private key; it may be the same file.
    ///   - passphrase: decrypts an encrypted key; nil for an unencrypted key.
    /// - Throws: ``ClientCertificateError``, which describes how to correct the error.
    public init(certificateFile: String, keyFile: String, passphrase: String? = nil) throws(ClientCertificateError) {
        try self.init(
            pem: Self.contents(of: certificateFile), key: Self.contents(of: keyFile), passphrase: passphrase,
            names: (certificateFile, keyFile))
    }

    /// Parses PEM text, for example from a secret store.
    ///
    /// - Parameters:
    ///   - pem: the certificate, followed by intermediate certificates.
    ///   - key: the private key.
    ///   - passphrase: decrypts an encrypted key; nil for an unencrypted key.
    /// - Throws: ``ClientCertificateError``, which describes how to correct the error.
    public init(pem: String, key: String, passphrase: String? = nil) throws(ClientCertificateError) {
        try self.init(pem: Array(pem.utf8), key: Array(key.utf8), passphrase: passphrase, names: ("the text", "the text"))
    }

    /// Makes a certificate from DER bytes.
    ///
    /// - Parameters:
    ///   - der: the certificate, followed by intermediate certificates.
    ///   - key: the private key without encryption, as PKCS #8 or in the form of its algorithm.
    /// - Throws: ``ClientCertificateError``, which describes how to correct the error.
    public init(der: [[UInt8]], key: [UInt8]) throws(ClientCertificateError) {
        let chain: [NIOSSLCertificate]
        do {
            chain = try der.map { try NIOSSLCertificate(bytes: $0, format: .der) }
        } catch {
            throw .noCertificate("the DER bytes")
        }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(bytes: key, format: .der)
        } catch {
            throw .noKey("the DER bytes")
        }
        try self.init(chain: chain, key: privateKey, name: "the DER bytes")
    }

    /// Reads PKCS #12, for example the contents of a file with the extension `.p12`. Network.framework, which clients use on Apple
    /// platforms, accepts only this format.
    ///
    /// - Parameters:
    ///   - pkcs12: the bytes of the file: a certificate, its key and, if needed, intermediate certificates.
    ///   - passphrase: decrypts the file.
    /// - Throws: ``ClientCertificateError``, which describes how to correct the error.
    public init(pkcs12: [UInt8], passphrase: String) throws(ClientCertificateError) {
        guard Self.mayHoldIdentity(pkcs12) else { throw .unreadableArchive }
        let bundle: NIOSSLPKCS12Bundle
        do {
            bundle = try NIOSSLPKCS12Bundle(buffer: pkcs12, passphrase: Array(passphrase.utf8))
        } catch {
            throw .unreadableArchive
        }
        try self.init(chain: bundle.certificateChain, key: bundle.privateKey, name: "the PKCS #12 file")
        archive = Archive(bytes: pkcs12, passphrase: passphrase)
    }

    /// Whether the bytes of a PKCS #12 file contain a private key, and also a certificate or encrypted data, which may contain
    /// certificates.
    ///
    /// NIOSSL traps on a file without a key or without certificates, so such files are refused before. It also traps on a key that belongs
    /// to none of the certificates, which cannot be detected here.
    static func mayHoldIdentity(_ pkcs12: [UInt8]) -> Bool {
        func names(_ identifiers: [[UInt8]]) -> Bool { identifiers.contains { pkcs12.firstRange(of: $0) != nil } }
        return names([keyBag, encryptedKeyBag]) && names([certificateBag, encryptedData])
    }

    // The object identifiers, in DER, of those parts of a PKCS #12 file that contain keys, certificates and encrypted data (RFC 7292,
    // appendix D, and RFC 2315, 14).
    static let keyBag: [UInt8] = [0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x01]
    static let encryptedKeyBag: [UInt8] = [0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x02]
    static let certificateBag: [UInt8] = [0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x03]
    static let encryptedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06]

    private init(
        pem: [UInt8], key: [UInt8], passphrase: String?, names: (certificate: String, key: String)
    ) throws(ClientCertificateError) {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(pem)
        } catch {
            throw .noCertificate(names.certificate)
        }
        // Encrypted keys are recognised by this word: PKCS #8 has it in the first line, and the older format in a field below.
        let isEncrypted = String(decoding: key, as: UTF8.self).contains("ENCRYPTED")
        let privateKey: NIOSSLPrivateKey
        if isEncrypted {
            guard let passphrase else { throw .encryptedKey(names.key) }
            do {
                privateKey = try NIOSSLPrivateKey(bytes: key, format: .pem) { setter in setter(Array(passphrase.utf8)) }
            } catch {
                throw .wrongPassphrase(names.key)
            }
        } else {
            do {
                privateKey = try NIOSSLPrivateKey(bytes: key, format: .pem)
            } catch {
                throw .noKey(names.key)
            }
        }
        try self.init(chain: chain, key: privateKey, name: names.certificate)
    }

    private init(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey, name: String) throws(ClientCertificateError) {
        guard !chain.isEmpty else { throw .noCertificate(name) }
        self.chain = chain
        self.key = key
        // A TLS context is made, because the TLS library then checks that certificate and key belong together.
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        apply(to: &configuration)
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .keyDoesNotMatch(name)
        }
    }

    private static func contents(of file: String) throws(ClientCertificateError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: file) else { throw .unreadableFile(file) }
        return Array(data)
    }

    /// Configures connections to present the certificate.
    package func apply(to configuration: inout TLSConfiguration) {
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
    }

    public var description: String { "ClientCertificate(\(chain.count) certificates)" }
    public var customMirror: Mirror { Mirror(self, children: ["certificates": chain.count]) }
}

/// The reason why a client certificate cannot be used. The description says how to correct it.
public enum ClientCertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not exist, or this program may not read it.
    case unreadableFile(String)
    /// The text or file contains no certificate.
    case noCertificate(String)
    /// The text or file contains no private key.
    case noKey(String)
    /// The private key is encrypted, and no passphrase was given.
    case encryptedKey(String)
    /// The passphrase does not decrypt the private key.
    case wrongPassphrase(String)
    /// The bytes are not PKCS #12, or the passphrase does not decrypt them.
    case unreadableArchive
    /// The private key does not belong to the first certificate.
    case keyDoesNotMatch(String)

    public var description: String {
        switch self {
        case .unreadableFile(let file):
            "\(file) cannot be read. Check the path, and whether this program may read the file."
        case .noCertificate(let source):
            "There is no certificate in \(source). PEM begins with \"-----BEGIN CERTIFICATE-----\"."
        case .noKey(let source):
            "There is no private key in \(source). PEM begins with \"-----BEGIN PRIVATE KEY-----\" or names the kind of key."
        case .encryptedKey(let source):
            "The private key in \(source) is encrypted. Give its passphrase, or remove it with `openssl pkey -in key.pem -out plain.pem`."
        case .wrongPassphrase(let source):
            "The passphrase does not decrypt the private key in \(source)."
        case .unreadableArchive:
            "The bytes cannot be read as PKCS #12. Check the passphrase, and that the file has a certificate and its private key."
        case .keyDoesNotMatch(let source):
            "The private key does not belong to the first certificate in \(source). The client's own certificate has to come first."
        }
    }
}
