import Foundation
import PubNubProtocol

/// Encrypts and decrypts files piece by piece, with bounded memory. The destination file appears only when it is complete.
enum CipherFile {
    private static let pieceSize = 256 * 1024

    static func encrypt(_ source: URL, to destination: URL?, key: String) throws -> URL {
        var generator = SystemRandomNumberGenerator()
        let cipher = try cipher(key)
        let (stream, prefix) = PubNubCipherStream.encrypting(with: cipher, using: &generator)
        return try copy(source, to: destination, prefix: prefix, through: stream)
    }

    static func decrypt(_ source: URL, to destination: URL?, key: String) throws -> URL {
        try copy(source, to: destination, prefix: [], through: .decrypting(with: try cipher(key)))
    }

    /// Runs `work`, which reads and writes files, on a background queue where blocking is allowed.
    static func onQueue(_ work: @escaping @Sendable () throws -> URL) async throws -> URL {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }

    private static func cipher(_ key: String) throws -> PubNubCipher {
        guard !key.isEmpty else {
            throw error(kPNAESConfigurationError, "The cipher key is empty. Pass a key with at least one character.")
        }
        return PubNubCipher(key: key)
    }

    private static func copy(
        _ source: URL, to destination: URL?, prefix: [UInt8], through stream: PubNubCipherStream
    ) throws -> URL {
        let destination =
            destination ?? FileManager.default.temporaryDirectory.appendingPathComponent("pubnub-\(UUID().uuidString)")
        let partial = destination.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).partial")
        do {
            try write(source, to: partial, prefix: prefix, through: stream)
            // The finished file is renamed in one step, so that no reader sees an incomplete file.
            guard rename(partial.path, destination.path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch {
            try? FileManager.default.removeItem(at: partial)
            throw (error as? PubNubCipherError).map(translated) ?? error
        }
        return destination
    }

    private static func write(
        _ source: URL, to partial: URL, prefix: [UInt8], through stream: PubNubCipherStream
    ) throws {
        var stream = stream
        let input = try FileHandle(forReadingFrom: source)
        defer { try? input.close() }
        // Only the owner can read the new file, because it may contain decrypted data.
        guard FileManager.default.createFile(atPath: partial.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let output = try FileHandle(forWritingTo: partial)
        defer { try? output.close() }
        try output.write(contentsOf: Data(prefix))
        while let piece = try input.read(upToCount: pieceSize), !piece.isEmpty {
            try output.write(contentsOf: Data(try stream.update(piece)))
        }
        try output.write(contentsOf: Data(try stream.finish()))
    }

    private static func translated(_ error: PubNubCipherError) -> NSError {
        switch error {
        case .empty: self.error(kPNAESEmptyObjectError, error.description)
        case .encryptionFailed: self.error(kPNAESEncryptionError, error.description)
        default: self.error(kPNAESDecryptionError, error.description)
        }
    }

    private static func error(_ code: Int, _ description: String) -> NSError {
        NSError(domain: kPNAESErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: description])
    }
}
