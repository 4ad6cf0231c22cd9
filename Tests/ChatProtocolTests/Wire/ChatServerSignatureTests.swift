import ChatProtocol
import Testing

@Suite("Signature of the server API (rule NP-21)")
struct ChatServerSignatureTests {
    // Computed with another implementation: printf 'app-secret143141763710000000' | sha1sum, and so on.
    @Test(
        "It is SHA-1 over secret, nonce and timestamp, in lowercase digits",
        arguments: [
            ("app-secret", "14314", "1763710000000", "3b402dd5f3eaea6870cd2f8e9c0cd98610cc0fd2"),
            ("", "", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("é", "n", "1", "abde42d3a1d42015d2c87799c322af68ac240365"),
        ])
    func vectors(secret: String, nonce: String, timestamp: String, signature: String) {
        #expect(ChatServerSignature.sign(secret: secret, nonce: nonce, timestamp: timestamp) == signature)
        #expect(ChatServerSignature.isValid(signature, secret: secret, nonce: nonce, timestamp: timestamp))
        #expect(!ChatServerSignature.isValid(signature.uppercased(), secret: secret, nonce: nonce, timestamp: timestamp))
    }

    @Test("Anything else is not valid", arguments: ["", "da39", "da39a3ee5e6b4b0d3255bfef95601890afd80708"])
    func wrong(signature: String) {
        #expect(!ChatServerSignature.isValid(signature, secret: "", nonce: "", timestamp: ""))
    }
}
