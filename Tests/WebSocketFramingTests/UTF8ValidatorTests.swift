import Testing

@testable import WebSocketFraming

@Suite struct UTF8ValidatorTests {
    private func accepts(_ pieces: [[UInt8]]) -> Bool {
        var validator = UTF8Validator()
        for piece in pieces where !piece.withUnsafeBytes({ validator.accept($0) }) { return false }
        return validator.isComplete
    }

    @Test func `Every scalar is accepted, whole and byte by byte`() {
        for number in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let bytes = Array(String(Character(scalar)).utf8)
            #expect(accepts([bytes]) && accepts(bytes.map { [$0] }))
        }
    }

    @Test func `Every pair and triple of bytes is judged as the standard library judges it`() {
        for first in UInt8(0x7E)...0xFF {
            for second in UInt8(0)...0xFF {
                #expect(accepts([[first, second]]) == (String(validating: [first, second], as: UTF8.self) != nil))
            }
        }
        for first in UInt8(0xE0)...0xF5 {
            for second in stride(from: UInt8(0x70), through: 0xD0, by: 3) {
                for tail: [UInt8] in [[0x80], [0x80, 0x80], [0xBF], [0xBF, 0xBF], [0xC0], [0x80, 0x7F]] {
                    let bytes = [first, second] + tail
                    #expect(accepts([bytes]) == (String(validating: bytes, as: UTF8.self) != nil))
                }
            }
        }
    }

    @Test func `A bad byte behind a long run of ASCII is found at every place`() {
        for place in 0..<40 {
            var bytes = [UInt8](repeating: 65, count: 40)
            #expect(accepts([bytes]))
            bytes[place] = 0xFF
            #expect(!accepts([bytes]))
        }
    }

    @Test(
        arguments: [
            [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0x80], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF],
        ] as [[UInt8]])
    func `Overlong forms, surrogates and numbers beyond the range are refused`(bytes: [UInt8]) {
        #expect(!accepts([bytes]))
        #expect(!accepts(bytes.map { [$0] }))
    }
}
