import PubNubProtocol
import Testing

/// Keys that are replaced: several for reading, one for writing (rule PC-14).
struct ReadingKeysTests {
    private let old = PubNubCipher(key: "old")
    private let older = PubNubCipher(key: "older", form: .current)
    private let new = PubNubCipher(key: "new").reading(["old", "older"])
    private let message = #"{"hello":"world"}"#

    @Test func `messages of every key are read, and one key writes`() throws {
        for writer in [PubNubCipher(key: "new"), old, older] {
            #expect(try new.decrypt(message: writer.encrypt(message: message)) == message)
        }
        let sealed = try new.encrypt(message: message)
        #expect(try PubNubCipher(key: "new").decrypt(message: sealed) == message)
        #expect(throws: PubNubCipherError.decryptionFailed) { _ = try old.decrypt(message: sealed) }
    }

    @Test func `what no key opens fails as with one`() throws {
        let strange = try PubNubCipher(key: "strange").encrypt(message: message)
        #expect(throws: PubNubCipherError.decryptionFailed) { _ = try new.decrypt(message: strange) }
        #expect(throws: PubNubCipherError.notEncrypted) { _ = try new.decrypt(message: "17") }
        #expect(throws: PubNubCipherError.notBase64) { _ = try new.decrypt(message: #""%%%""#) }
    }

    // Proof of PC-14.
    @Test func `there are at most seven keys for reading`() throws {
        let cipher = PubNubCipher(key: "new").reading((0..<8).map { "key \($0)" })
        #expect(try cipher.decrypt(message: PubNubCipher(key: "key 6").encrypt(message: message)) == message)
        let eighth = try PubNubCipher(key: "key 7").encrypt(message: message)
        #expect(throws: PubNubCipherError.decryptionFailed) { _ = try cipher.decrypt(message: eighth) }
    }

    /// A file of a length that pads with eleven bytes: no other key can seem to fit as well.
    @Test func `files of every key are read`() throws {
        let file = Array("hello".utf8)
        for writer in [PubNubCipher(key: "new"), old, older] {
            var generator = SystemRandomNumberGenerator()
            var (stream, sealed) = PubNubCipherStream.encrypting(with: writer, using: &generator)
            sealed += try stream.update(file)
            sealed += try stream.finish()
            #expect(try new.decrypt(file: sealed) == file)
            #expect(throws: PubNubCipherError.self) { _ = try PubNubCipher(key: "strange").reading([]).decrypt(file: [1, 2, 3]) }
        }
        #expect(throws: PubNubCipherError.empty) { _ = try new.decrypt(file: []) }
    }

    /// Another key fits about one in 256 files that pad with one byte; such a file is not opened wrongly.
    @Test func `a file that two keys fit alike is not opened`() throws {
        let file = [UInt8](repeating: 7, count: 15)
        var ambiguous = 0
        for _ in 0..<512 {
            var generator = SystemRandomNumberGenerator()
            var (stream, sealed) = PubNubCipherStream.encrypting(with: old, using: &generator)
            sealed += try stream.update(file)
            sealed += try stream.finish()
            do {
                let plain = try new.decrypt(file: sealed)
                #expect(plain == file || plain.count < file.count)
            } catch {
                ambiguous += 1
            }
        }
        #expect(ambiguous < 60)
    }
}
