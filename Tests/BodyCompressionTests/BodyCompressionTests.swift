import BodyCompression
import ConnectionEngine
import Testing

@Suite("Compressed bodies")
struct BodyCompressionTests {
    static let text = Array(#"{"hello":"world"}"#.utf8)
    /// The text by Python's `gzip`, `zlib` (levels 9 and 1), and raw deflate.
    static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0xAB, 0x56, 0xCA, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xB2, 0x52,
        0x2A, 0xCF, 0x2F, 0xCA, 0x49, 0x51, 0xAA, 0x05, 0x00, 0xD1, 0x41, 0x09, 0xD8, 0x11, 0x00, 0x00, 0x00,
    ]
    static let zlib: [[UInt8]] = [
        [0x78, 0xDA] + deflate + adler, [0x78, 0x01] + deflate + adler, [0x78, 0x5E] + deflate + adler,
    ]
    static let deflate: [UInt8] = [
        0xAB, 0x56, 0xCA, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xB2, 0x52, 0x2A, 0xCF, 0x2F, 0xCA, 0x49, 0x51, 0xAA, 0x05, 0x00,
    ]
    static let adler: [UInt8] = [0x35, 0x6B, 0x05, 0xF7]

    @Test("gzip, zlib and raw deflate are told apart by their first bytes (PN-25)")
    func formats() throws {
        for body in [Self.gzip, Self.deflate] + Self.zlib {
            #expect(try BodyCompression.inflate(body, limit: 100) == Self.text)
        }
    }

    @Test("What is compressed opens again, of any length (PN-27)")
    func roundTrips() throws {
        var random = SeededRandom(seed: 5)
        for length in [0, 1, 100, 16_383, 16_384, 16_385, 200_000] {
            let same = [UInt8](repeating: 0x61, count: length)
            let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            for bytes in [same, noise] {
                let body = try BodyCompression.gzip(bytes)
                #expect(body.prefix(2) == [0x1F, 0x8B])
                #expect(try BodyCompression.inflate(body, limit: length) == bytes)
                if length > 0 {
                    #expect(throws: CompressionError.tooLong) { try BodyCompression.inflate(body, limit: length - 1) }
                }
            }
        }
    }

    @Test("A body that is cut off anywhere is an error (PN-26)")
    func truncated() {
        for body in [Self.gzip, Self.deflate] + Self.zlib {
            for length in 0..<body.count {
                #expect(throws: CompressionError.self) { try BodyCompression.inflate(Array(body[..<length]), limit: 1000) }
            }
            #expect(throws: CompressionError.truncated) { try BodyCompression.inflate(Array(body.dropLast()), limit: 1000) }
        }
    }

    @Test("Damage and what follows the data are errors (PN-26)")
    func damaged() {
        for body in [Self.gzip] + Self.zlib {
            var wrongSum = body
            wrongSum[body.count - 1] ^= 1
            #expect(throws: CompressionError.damaged) { try BodyCompression.inflate(wrongSum, limit: 1000) }
            #expect(throws: CompressionError.trailingBytes) { try BodyCompression.inflate(body + [0], limit: 1000) }
        }
        // A block of the one type that there is not.
        #expect(throws: CompressionError.damaged) { try BodyCompression.inflate([0x07, 0, 0], limit: 1000) }
        #expect(throws: CompressionError.self) { try BodyCompression.inflate(Self.text, limit: 1000) }
        #expect(throws: CompressionError.truncated) { try BodyCompression.inflate([], limit: 1000) }
    }

    @Test("A dictionary that only the sender has is an error")
    func dictionary() {
        // RFC 1950: the bit that announces a dictionary, with a matching check.
        #expect(throws: CompressionError.damaged) { try BodyCompression.inflate([0x78, 0xBB, 1, 2, 3, 4, 0, 0], limit: 1000) }
    }

    @Test("A bomb ends at the limit (PN-26)")
    func bomb() throws {
        let body = try BodyCompression.gzip([UInt8](repeating: 0, count: 50_000_000))
        #expect(body.count < 100_000)
        #expect(throws: CompressionError.tooLong) { try BodyCompression.inflate(body, limit: 32_768) }
    }

    @Test("50,000 mutations open or are refused", .timeLimit(.minutes(5)))
    func mutations() {
        var random = SeededRandom(seed: 6)
        let bodies = [Self.gzip, Self.deflate] + Self.zlib
        var (opened, refused) = (0, 0)
        for round in 0..<50_000 {
            var body = bodies[round % bodies.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                body[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(CompressionError) {
                let content = try BodyCompression.inflate(body, limit: 500)
                #expect(content.count <= 500)
                opened += 1
            } catch {
                refused += 1
            }
        }
        // Both happen: raw deflate has no sum that would show every change.
        #expect(opened > 100 && refused > 10_000)
    }
}
