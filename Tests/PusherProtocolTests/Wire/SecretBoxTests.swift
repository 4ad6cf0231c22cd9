import Foundation
import PusherProtocol
import Testing
import WireCoding

@Suite("Secretbox (rules PE-1, PE-2)")
struct SecretBoxTests {
    struct Vector {
        var key: [UInt8]
        var nonce: [UInt8]
        var plaintext: [UInt8]
        var box: [UInt8]

        init?(_ line: some StringProtocol) {
            let parts = line.split(separator: " ").map { $0 == "-" ? [] : Data(base64Encoded: String($0)).map { [UInt8]($0) } }
            guard parts.count == 4, let key = parts[0], let nonce = parts[1], let plaintext = parts[2], let box = parts[3] else {
                return nil
            }
            (self.key, self.nonce, self.plaintext, self.box) = (key, nonce, plaintext, box)
        }
    }

    /// The vectors of the file that the environment names, or those of the source.
    static func vectors() throws -> [Vector] {
        let lines: [String]
        if let path = ProcessInfo.processInfo.environment["LIFELINE_SECRETBOX_VECTORS"], !path.isEmpty {
            lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
            try #require(lines.count >= 1000)
        } else {
            lines = secretBoxVectors.components(separatedBy: "\n\n").map { $0.replacingOccurrences(of: "\n", with: "") }
            try #require(lines.count == 50)
        }
        return try lines.map { try #require(Vector($0)) }
    }

    @Test("Sealing and opening agree with PyNaCl, and a changed box is refused")
    func agreesWithPyNaCl() throws {
        for (index, vector) in try Self.vectors().enumerated() {
            try #require(try SecretBox.seal(vector.plaintext, nonce: vector.nonce, key: vector.key) == vector.box)
            try #require(try SecretBox.open(vector.box, nonce: vector.nonce, key: vector.key) == vector.plaintext)
            var changed = vector.box
            changed[index % changed.count] ^= 1 << UInt8(index % 8)
            #expect(throws: SecretBoxError.notAuthentic) {
                try SecretBox.open(changed, nonce: vector.nonce, key: vector.key)
            }
        }
    }

    @Test("A change of any bit of box, nonce or key is refused")
    func everyBit() throws {
        let key = [UInt8](0..<32)
        let nonce = [UInt8](100..<124)
        let box = try SecretBox.seal(Array("attack at dawn, bring tea".utf8), nonce: nonce, key: key)
        func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
        for bit in 0..<(box.count * 8) {
            #expect(throws: SecretBoxError.notAuthentic) { try SecretBox.open(flipped(box, bit), nonce: nonce, key: key) }
        }
        for bit in 0..<(24 * 8) {
            #expect(throws: SecretBoxError.notAuthentic) { try SecretBox.open(box, nonce: flipped(nonce, bit), key: key) }
        }
        for bit in 0..<(32 * 8) {
            #expect(throws: SecretBoxError.notAuthentic) { try SecretBox.open(box, nonce: nonce, key: flipped(key, bit)) }
        }
        for length in 0..<box.count {
            #expect(throws: SecretBoxError.notAuthentic) {
                try SecretBox.open(Array(box[..<length]), nonce: nonce, key: key)
            }
        }
    }

    @Test("Keys and nonces of the wrong size are refused")
    func sizes() {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 24)
        #expect(throws: SecretBoxError.wrongKeySize) { try SecretBox.seal([], nonce: nonce, key: key + [0]) }
        #expect(throws: SecretBoxError.wrongKeySize) { try SecretBox.open([], nonce: nonce, key: [0]) }
        #expect(throws: SecretBoxError.wrongNonceSize) { try SecretBox.seal([], nonce: Array(nonce[1...]), key: key) }
        #expect(throws: SecretBoxError.wrongNonceSize) { try SecretBox.open([], nonce: [], key: key) }
    }

    @Test("Comparing in constant time gives what comparing gives")
    func constantTime() {
        #expect(ConstantTime.areEqual("", ""))
        #expect(ConstantTime.areEqual("abc", "abc"))
        #expect(!ConstantTime.areEqual("abc", "abd"))
        #expect(!ConstantTime.areEqual("abc", "abcd"))
        #expect(!ConstantTime.areEqual([1, 2, 3], [0, 2, 3]))
    }
}
