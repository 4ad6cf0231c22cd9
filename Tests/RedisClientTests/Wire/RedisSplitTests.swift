import ConnectionEngine
import NIOCore
import RedisClient
import Testing

@Suite struct RedisSplitTests {
    static let stream = Array(
        ("+OK\r\n-ERR a b\r\n:12\r\n,1.5\r\n#t\r\n_\r\n$5\r\na\r\nbc\r\n(123\r\n=6\r\ntxt:ab\r\n*2\r\n$1\r\na\r\n*1\r\n:1\r\n"
            + "%1\r\n$1\r\nk\r\n~2\r\n:1\r\n:2\r\n>3\r\n+message\r\n$1\r\nc\r\n$2\r\nhi\r\n|1\r\n+a\r\n:1\r\n$0\r\n\r\n!5\r\nERR x\r\n")
            .utf8)

    @Test func `RC-1 Every split point gives the same values`() {
        let bytes = Self.stream[...]
        let whole = Decoded([bytes])
        #expect(whole.values.count == 14)
        #expect(whole.violation == nil)
        for split in 0...bytes.count {
            #expect(Decoded([bytes[..<split], bytes[split...]]) == whole)
        }
        for size in 1...40 {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(Decoded(pieces) == whole)
        }
    }

    /// Mutates valid streams. Nothing may crash, and how the bytes are cut must not matter.
    @Test func `RC-2 Mutated streams never crash and are judged alike however they are cut`() {
        var random = SeededRandom(seed: 12)
        let limits = RedisLimits(line: 64, bytes: 256, elements: 64, depth: 4)
        for round in 0..<20_000 {
            var bytes = Self.stream
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
            let split = Int.random(in: 0...bytes.count, using: &random)
            let whole = Decoded([bytes[...]], limits: limits)
            let halves = Decoded([bytes[..<split], bytes[split...]], limits: limits)
            // A double that is not a number is not equal to itself.
            if whole != halves, "\(whole)" != "\(halves)" {
                Issue.record("round \(round), split \(split): \(whole) is not \(halves)")
                return
            }
        }
    }

    @Test func `A long string that comes in small pieces is put together`() {
        let text = String(repeating: "0123456789", count: 50_000)
        let bytes = Array("*2\r\n$\(text.utf8.count)\r\n\(text)\r\n:1\r\n".utf8)
        let pieces = stride(from: 0, to: bytes.count, by: 100).map { bytes[$0..<min($0 + 100, bytes.count)] }
        #expect(Decoded(pieces).values == [.array([.bulk(ByteBuffer(string: text)), .integer(1)])])
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard let place = bytes.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = .random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(place..<min(place + 5, bytes.count))
        case 3: bytes.insert(.random(in: 0...255, using: &random), at: place)
        case 4:
            bytes.insert(
                contentsOf: ["*", "$", "%", "~", ">", "|"].randomElement(using: &random).map { Array($0.utf8) } ?? [], at: place)
        default: bytes.replaceSubrange(place..<place, with: bytes[..<min(40, bytes.count)])
        }
    }
}
