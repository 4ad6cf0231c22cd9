import Crypto
import ServerStorage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encrypts stored applications with a key of the operator, with AES-GCM and 256 bits (rule AR-20).
package struct ApplicationSeal: Sendable {
    /// The first byte of an application's entry in the store. It says whether the rest of the entry is encrypted.
    private enum Form: UInt8 {
        case plain = 1
        case sealed = 2
    }

    /// The permitted lengths of the operator's key, in bytes of UTF-8.
    package static let lengths = 32...1_024

    private let key: SymmetricKey?

    /// - Parameter key: any text that cannot be guessed, such as 32 random bytes in Base64; nil to store applications without encryption.
    package init(_ key: Secret? = nil) {
        self.key = key.map {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: Array($0.revealed.utf8)), info: Array("lifeline applications".utf8),
                outputByteCount: 32)
        }
    }

    /// Whether applications are encrypted.
    package var isEncrypting: Bool { key != nil }

    /// Encodes an application's document as an entry of the store. An encrypted entry can be decrypted only under the name of this
    /// application.
    package func entry(_ document: [UInt8], of id: ApplicationID) throws(ApplicationProblem) -> [UInt8] {
        guard let key else { return [Form.plain.rawValue] + document }
        do {
            let box = try AES.GCM.seal(document, using: key, authenticating: Array(id.description.utf8))
            // `combined` is nil only for a nonce of unusual length, and `seal` chooses one of the usual length.
            guard let combined = box.combined else { throw ApplicationProblem.unreadable(id) }
            return [Form.sealed.rawValue] + combined
        } catch {
            throw .unreadable(id)
        }
    }

    /// Decodes an application's entry of the store to its document. An entry that is not encrypted can also be read when a key is set; the
    /// next change of the application encrypts it.
    package func document(_ entry: [UInt8], of id: ApplicationID) throws(ApplicationProblem) -> [UInt8] {
        switch entry.first.flatMap(Form.init(rawValue:)) {
        case .plain: return Array(entry.dropFirst())
        case .sealed:
            guard let key else { throw .keyMissing(id) }
            do {
                let box = try AES.GCM.SealedBox(combined: Array(entry.dropFirst()))
                return Array(try AES.GCM.open(box, using: key, authenticating: Array(id.description.utf8)))
            } catch {
                throw .keyWrong(id)
            }
        case nil: throw .unreadable(id)
        }
    }
}
