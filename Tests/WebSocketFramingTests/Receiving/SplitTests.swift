import NIOCore
import Testing

@testable import WebSocketFraming

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small generator, so that a failing run can be repeated.
struct TestRandom: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite struct SplitTests {
    static func stream(mask: [UInt8]?) -> [UInt8] {
        let text = Array("{\"event\":\"preis-€-𝄞\"}".utf8)
        return frame(1, text, mask: mask) + frame(9, [1, 2, 3], mask: mask)
            + frame(1, Array(text[..<17]), final: false, mask: mask) + frame(10, mask: mask)
            + frame(0, Array(text[17..<18]), final: false, mask: mask) + frame(0, Array(text[18...]), mask: mask)
            + frame(2, (0..<200).map { UInt8($0) }, mask: mask) + frame(1, mask: mask)
            + frame(8, [0x0F, 0xA1] + Array("gone".utf8), mask: mask)
    }

    @Test(arguments: [WebSocketRole.client, .server])
    func `Every split point gives the same events`(role: WebSocketRole) {
        let bytes = Self.stream(mask: role == .server ? [0x11, 0x22, 0x33, 0x44] : nil)
        let whole = events([bytes], role: role)
        #expect(whole.count == 7)
        for split in 0...bytes.count {
            #expect(events([Array(bytes[..<split]), Array(bytes[split...])], role: role) == whole)
        }
        for size in 1...40 {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
            #expect(events(pieces, role: role) == whole)
        }
    }

    /// Mutates valid streams. Nothing may crash, and how the bytes are cut must not matter. `LIFELINE_FRAME_MUTATIONS` sets
    /// the number of streams.
    @Test func `Mutated frames never crash and are judged alike however they are cut`() {
        let count = getenv("LIFELINE_FRAME_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 20_000
        var random = TestRandom(state: 7)
        let limits = WebSocketLimits(messageBytes: 4096, fragments: 16, keptBytes: 64)
        for round in 0..<count {
            let role: WebSocketRole = round % 2 == 0 ? .client : .server
            var bytes = Self.stream(mask: role == .server ? [0x11, 0x22, 0x33, 0x44] : nil)
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
            let whole = events([bytes], role: role, limits: limits)
            let split = Int.random(in: 0...bytes.count, using: &random)
            let halves = events([Array(bytes[..<split]), Array(bytes[split...])], role: role, limits: limits)
            if whole != halves {
                Issue.record("round \(round), split \(split): \(whole) is not \(halves)")
                return
            }
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout TestRandom) {
        guard let place = bytes.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = .random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(place..<min(place + 5, bytes.count))
        case 3: bytes.insert(.random(in: 0...255, using: &random), at: place)
        default: bytes.replaceSubrange(place..<place, with: bytes[..<min(40, bytes.count)])
        }
    }
}
