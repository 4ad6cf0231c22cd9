import ConnectionEngine
import Foundation
import PubNubProtocol
import Testing
import WireCoding

@Suite("Encryption under hostile input (rule PC-12)")
struct PubNubCipherFuzzTests {
    static let ciphers = [
        PubNubCipher(key: "enigma", usesRandomIV: false), PubNubCipher(key: "enigma"),
        PubNubCipher(key: "enigma", form: .current),
    ]

    @Test("Every truncation is refused, as bytes and as text", arguments: ciphers.indices)
    func truncations(index: Int) throws {
        let cipher = Self.ciphers[index]
        let sealed = try cipher.encrypt(Array(#"{"a":"message of more than a block, in fact of a few"}"#.utf8))
        for length in 0..<sealed.count {
            #expect(throws: PubNubCipherError.self) {
                try cipher.decrypt(message: JSONWriter.string(Data(sealed[..<length]).base64EncodedString()))
            }
            var stream = PubNubCipherStream.decrypting(with: cipher)
            _ = try? stream.update(sealed[..<length])
            _ = try? stream.finish()
        }
        let text = try cipher.encrypt(message: "{}")
        for length in 0..<text.utf8.count {
            #expect(throws: PubNubCipherError.self) { try cipher.decrypt(message: String(text.prefix(length))) }
        }
    }

    @Test("A flipped bit never goes unnoticed in the header, and never stops anything", arguments: ciphers.indices)
    func bitFlips(index: Int) throws {
        let cipher = Self.ciphers[index]
        let message = Array(#"{"a":"message of more than a block"}"#.utf8)
        let sealed = try cipher.encrypt(message)
        for bit in 0..<(sealed.count * 8) {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            let plain = try? cipher.decrypt(changed)
            #expect(plain != message, "bit \(bit)")
            if index == 2, bit < 80 { #expect(plain == nil, "bit \(bit)") }
        }
    }

    @Test("100,000 mutations are decrypted or refused", .timeLimit(.minutes(2)))
    func mutations() throws {
        var random = SeededRandom(seed: 5)
        let seeds = try Self.ciphers.map { try $0.encrypt(Array("[1,2,3,4,5,6,7,8,9]".utf8)) }
        var refused = 0
        for round in 0..<100_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let at = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1 where at < bytes.count: bytes.remove(at: at)
                case 2: bytes.removeLast(min(bytes.count, Int.random(in: 0...17, using: &random)))
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
                }
            }
            do throws(PubNubCipherError) {
                _ = try Self.ciphers[round % 3].decrypt(bytes)
            } catch {
                refused += 1
            }
        }
        #expect(refused > 50_000)
    }

    @Test("A stream gives what the whole gives, however it is cut", arguments: ciphers.indices)
    func streams(index: Int) throws {
        var random = SeededRandom(seed: 17)
        let cipher = Self.ciphers[index]
        // Files always have a random vector.
        let reader = index == 0 ? Self.ciphers[1] : cipher
        for length in [1, 15, 16, 17, 4096, 70_000, 140_001] {
            let plain = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            var (encrypting, sealed) = PubNubCipherStream.encrypting(with: cipher, using: &random)
            sealed += try Self.run(&encrypting, plain, &random)
            #expect(try reader.decrypt(sealed) == plain)
            var decrypting = PubNubCipherStream.decrypting(with: cipher)
            #expect(try Self.run(&decrypting, sealed, &random) == plain)
        }
    }

    static func run(_ stream: inout PubNubCipherStream, _ bytes: [UInt8], _ random: inout SeededRandom) throws -> [UInt8] {
        var out: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...40_000, using: &random))
            out += try stream.update(piece)
            rest = rest.dropFirst(piece.count)
        }
        return try out + stream.finish()
    }

    @Test("Streams of nothing are refused")
    func emptyStreams() throws {
        var random = SeededRandom(seed: 1)
        var (encrypting, _) = PubNubCipherStream.encrypting(with: Self.ciphers[1], using: &random)
        #expect(throws: PubNubCipherError.empty) { try encrypting.finish() }
        var decrypting = PubNubCipherStream.decrypting(with: Self.ciphers[1])
        #expect(throws: PubNubCipherError.empty) { try decrypting.finish() }
    }
}
