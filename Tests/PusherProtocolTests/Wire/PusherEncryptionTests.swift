import Foundation
import PusherProtocol
import Testing

@Suite("Encrypted channels (rules PE-3 to PE-5)")
struct PusherEncryptionTests {
    static func payload(_ nonce: String, _ ciphertext: String) -> String {
        "{\"nonce\":\"\(nonce)\",\"ciphertext\":\"\(ciphertext)\"}"
    }

    static let keys = [
        "iBvNoPVYwByqSfg6anjPpEQ2j051b3rt1Vmnb+z5doo=", "EOWC/ked3NtBDvEs9gFwk7x4oZEbH9I0Lz2qkopBxxs=",
    ]
    static let payloads = [
        payload("4sVYwy4j/8dCcjyxtPCWyk19GaaViaW9", "/GMESnFGlbNn01BuBjp31XYa3i9vZsGKR8fgR9EDhXKx3lzGiUD501A="),
        payload(
            "Ew2lLeGzSefk8fyVPbwL1yV+8HMyIBrm", "ig9HfL7OKJ9TL97WFRG0xpuk9w0DXUJhLQlQbGf+ID9S3h15vb/fgDfsnsGxQNQDxw+i"),
    ]
    static let texts = [#"{"message":"hello world"}"#, #"{"name":"freddy","message":"hello"}"#]

    @Test("Each key opens its own payload and no other")
    func knownPayloads() throws {
        for (keyIndex, base64) in Self.keys.enumerated() {
            let key = try #require(PusherEncryption.key(base64: base64))
            for (index, payload) in Self.payloads.enumerated() {
                if index == keyIndex {
                    #expect(try PusherEncryption.decrypt(payload, sharedSecret: key) == Self.texts[index])
                } else {
                    #expect(throws: PusherDecryptionError.wrongKey) {
                        try PusherEncryption.decrypt(payload, sharedSecret: key)
                    }
                }
            }
        }
    }

    @Test("A key that differs in its last byte opens nothing, and 33 bytes are no key")
    func badKeys() throws {
        let near = try #require(PusherEncryption.key(base64: "iBvNoPVYwByqSfg6anjPpEQ2j051b3rt1Vmnb+z5do0="))
        #expect(throws: PusherDecryptionError.wrongKey) {
            try PusherEncryption.decrypt(Self.payloads[0], sharedSecret: near)
        }
        #expect(PusherEncryption.key(base64: String(repeating: "0", count: 44)) == nil)
        #expect(PusherEncryption.key(base64: "not base64") == nil)
        #expect(throws: PusherDecryptionError.wrongKey) {
            try PusherEncryption.decrypt(Self.payloads[0], sharedSecret: nil)
        }
    }

    @Test("The channel's key follows from the master key, and sealing gives the known ciphertext")
    func ownVector() throws {
        let secret = PusherEncryption.sharedSecret(channel: "private-encrypted-orders", masterKey: [UInt8](0..<32))
        #expect(Data(secret).base64EncodedString() == "Rp+JW0P1Y4Dbn8NPhcFo88FAzz3QPb3PZ646obzmrp4=")
        let nonce = try #require(Data(base64Encoded: "ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7"))
        let sealed = try PusherEncryption.encrypt(#"{"item":"tea","qty":2}"#, sharedSecret: secret, nonce: [UInt8](nonce))
        #expect(
            sealed
                == Self.payload(
                    "ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7", "USYftgd9NXJntP8D8dgdEB65TLN0NuNSGWtTcL1JpvC+YZsJ7Qw="))
        #expect(try PusherEncryption.decrypt(sealed, sharedSecret: secret) == #"{"item":"tea","qty":2}"#)
    }

    @Test(
        "A payload that is no encrypted event is told apart from a wrong key",
        arguments: [
            "", "hello", "{}", #"{"nonce":"4sVYwy4j/8dCcjyxtPCWyk19GaaViaW9"}"#,
            #"{"ciphertext":"/GMESnFGlbNn01BuBjp31XYa3i9vZsGKR8fgR9EDhXKx3lzGiUD501A="}"#, #"{"nonce":1,"ciphertext":2}"#,
            #"{"nonce":"%%%%","ciphertext":"AAAA"}"#, #"{"nonce":"AAAA","ciphertext":"AAAA"}"#,
        ])
    func malformed(_ data: String) throws {
        let key = try #require(PusherEncryption.key(base64: Self.keys[0]))
        #expect(throws: PusherDecryptionError.malformedPayload) { try PusherEncryption.decrypt(data, sharedSecret: key) }
    }

    @Test("Plaintext that is not UTF-8 counts as a wrong key")
    func notUTF8() throws {
        let key = [UInt8](repeating: 3, count: 32)
        let nonce = [UInt8](repeating: 4, count: 24)
        let box = try SecretBox.seal([0xFF, 0xFE], nonce: nonce, key: key)
        let data = Self.payload(Data(nonce).base64EncodedString(), Data(box).base64EncodedString())
        #expect(throws: PusherDecryptionError.wrongKey) { try PusherEncryption.decrypt(data, sharedSecret: key) }
    }

    @Test("Nonces have 24 bytes and differ")
    func nonces() {
        var generator = SystemRandomNumberGenerator()
        let nonces = (0..<100).map { _ in PusherEncryption.randomNonce(using: &generator) }
        #expect(nonces.allSatisfy { $0.count == 24 })
        #expect(Set(nonces).count == 100)
    }
}
