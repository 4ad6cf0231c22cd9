import ConnectionEngine
import Foundation
import PubNubProtocol
import Testing
import WireCoding

@Suite("Encryption (rules PC-1 to PC-9)")
struct PubNubCipherTests {
    static let message = #"{"hello":"world"}"#
    static let fixed = PubNubCipher(key: "enigma", usesRandomIV: false)
    static let random = PubNubCipher(key: "enigma")
    static let current = PubNubCipher(key: "enigma", form: .current)

    @Test(
        "The vectors of both forms come out and are read",
        arguments: [
            (fixed, message, "VPBUKFwZx3Sab/2T8rSV30tRcDSQK5ZLmNRgTXGpBzc="),
            (random, message, "AAECAwQFBgcICQoLDA0OD/jcPswR8UNRHmX4zRnBnwQgTD8VO0w7n3H7F/bivb9j"),
            (
                current, message,
                "UE5FRAFBQ1JIEAABAgMEBQYHCAkKCwwNDg+3yJZliFKF1LxOhb655PHSb0wdR0xWnKlG1wgCpsHGNw=="
            ),
            (fixed, #""hello""#, "BQ2Ywm6XtvTCGCFPTY6FJw=="),
            (
                fixed, #"{"messageIdx":"message: 0","time":1577918412}"#,
                "z+B2MpQJ7ri4gAOIFdNBFU1BE127LyyL0MVTE9pfJlCu4sDLpC87FvEQjGAk3Hl+"
            ),
        ] as [(PubNubCipher, String, String)])
    func vectors(cipher: PubNubCipher, plain: String, sealed: String) throws {
        var generator = CountingGenerator()
        #expect(try cipher.encrypt(message: plain, using: &generator) == "\"\(sealed)\"")
        #expect(try cipher.decrypt(message: "\"\(sealed)\"") == plain)
        let escaped = sealed.replacing("/", with: "\\/")
        #expect(try cipher.decrypt(message: " \"\(escaped)\" ") == plain)
    }

    @Test("Either form is decrypted whatever form is set for encrypting")
    func bothForms() throws {
        let legacy = try Self.random.encrypt(message: "[1]")
        let current = try Self.current.encrypt(message: "[1]")
        #expect(try Self.current.decrypt(message: legacy) == "[1]")
        #expect(try Self.random.decrypt(message: current) == "[1]")
        #expect(try Self.fixed.decrypt(message: current) == "[1]")
        let mixed = PubNubCipher(key: "enigma", form: .current, usesRandomIV: false)
        #expect(try mixed.decrypt(message: Self.fixed.encrypt(message: "[1]")) == "[1]")
    }

    @Test("Nothing is encrypted twice the same way, except with the constant vector")
    func randomness() throws {
        for cipher in [Self.random, Self.current] {
            #expect(try cipher.encrypt(message: "1") != cipher.encrypt(message: "1"))
        }
        #expect(try Self.fixed.encrypt(message: "1") == Self.fixed.encrypt(message: "1"))
    }

    @Test("Bytes of every length come back", arguments: [fixed, random, current])
    func lengths(cipher: PubNubCipher) throws {
        var random = SeededRandom(seed: 3)
        for length in [1, 2, 15, 16, 17, 31, 32, 33, 1000] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(try cipher.decrypt(cipher.encrypt(bytes)) == bytes)
        }
    }

    @Test(
        "What is not an encrypted message is refused with its own error",
        arguments: [
            ("", .empty), (#""""#, .empty), ("{}", .notEncrypted), ("5", .notEncrypted), ("null", .notEncrypted),
            ("not JSON", .notEncrypted), (#"["x"]"#, .notEncrypted), (#"{"pn_other":{}}"#, .notEncrypted),
            (#"{"pn_apns":{}}"#, .notEncrypted), (#""hello there""#, .notBase64), (#""a""#, .notBase64),
            (#""AAAA""#, .decryptionFailed), (#""UE5FRA==""#, .malformedHeader), (#""UE5FRAJBQ1JI""#, .unknownCryptor),
            (#""UE5FRAFYWFhYAA==""#, .unknownCryptor), (#""UE5FRAFBQ1JIAA==""#, .malformedHeader),
            (#""UE5FRAFBQ1JI/w==""#, .malformedHeader), (#""UE5FRAFBQ1JIEAABAg==""#, .malformedHeader),
            (#""UE5FRAFBQ1JIEAABAgMEBQYHCAkKCwwNDg8=""#, .decryptionFailed),
            (#""UE5FRAFBQ1JI/wAQAAECAwQFBgcICQoLDA0OD7fI""#, .decryptionFailed),
        ] as [(String, PubNubCipherError)])
    func refusals(message: String, expected: PubNubCipherError) {
        #expect(throws: expected) { try Self.random.decrypt(message: message) }
    }

    @Test("A length in two bytes is understood where the service writes it so")
    func longHeader() throws {
        var generator = CountingGenerator()
        let sealed = try Self.current.encrypt(Array("x".utf8), using: &generator)
        let long = Array(sealed[..<9]) + [0xFF, 0, 16] + sealed[10...]
        #expect(try Self.random.decrypt(long) == Array("x".utf8))
    }

    @Test("Wrong keys, wrong padding and wrong contents give one and the same error")
    func oneError() throws {
        for cipher in [Self.random, Self.current] {
            let sealed = try cipher.encrypt(Array("{\"long enough\":\"for three blocks of sixteen\"}".utf8))
            var wrong = 0
            for byte in UInt8.min ... .max {
                // The last byte of the block before the last decides the padding.
                var changed = sealed
                changed[changed.count - 17] = byte
                let text = JSONWriter.string(Data(changed).base64EncodedString())
                guard changed != sealed else { continue }
                do throws(PubNubCipherError) {
                    Issue.record("\(try cipher.decrypt(message: text))")
                } catch {
                    #expect(error == .decryptionFailed)
                    wrong += 1
                }
            }
            #expect(wrong == 255)
        }
        let sealed = try Self.random.encrypt(message: Self.message)
        for key in ["Enigma", "", "other"] {
            #expect(throws: PubNubCipherError.decryptionFailed) { try PubNubCipher(key: key).decrypt(message: sealed) }
        }
        let noJSON = JSONWriter.string(Data(try Self.random.encrypt(Array("plain".utf8))).base64EncodedString())
        #expect(throws: PubNubCipherError.decryptionFailed) { try Self.random.decrypt(message: noJSON) }
    }

    @Test("Nothing shows the key")
    func description() {
        #expect("\(Self.current)" == "PubNubCipher(current)")
        var dumped = ""
        dump(Self.random, to: &dumped)
        #expect(!dumped.contains("enigma") && !dumped.contains("67a4f45f"))
    }
}
