import Testing

@testable import WebSocketFraming

@Suite struct ViolationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var violation: WebSocketViolation
        var role = WebSocketRole.client

        init(_ name: String, _ bytes: [UInt8], _ violation: WebSocketViolation, role: WebSocketRole = .client) {
            (testDescription, self.bytes, self.violation, self.role) = (name, bytes, violation, role)
        }
    }

    static let cases: [Case] =
        [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { Case("opcode \($0)", frame($0, [1]), .reservedOpcode($0)) }
        + [1, 2, 4, 7].map { Case("reserved bits \($0)", frame(1, [65], reserved: $0), .reservedBits) }
        + [
            Case("a masked frame from a server", frame(1, [65], mask: [1, 2, 3, 4]), .maskedFrameFromServer),
            Case("an unmasked frame from a client", frame(1, [65]), .unmaskedFrameFromClient, role: .server),
            Case("a ping of 126 bytes", frame(9, Array(repeating: 0, count: 126)), .controlFrameTooLong),
            Case("a fragmented ping", frame(9, [1], final: false), .fragmentedControlFrame),
            Case("a fragmented close", frame(8, [3, 0xE8], final: false), .fragmentedControlFrame),
            Case("a continuation of nothing", frame(0, [65]), .continuationWithoutStart),
            Case("a message inside a message", frame(1, [65], final: false) + frame(1, [65]), .messageInsideMessage),
            Case("binary inside text", frame(1, [65], final: false) + frame(2, [65], final: false), .messageInsideMessage),
            Case("16 bits for a length of 1", [0x81, 126, 0, 1, 65], .lengthNotMinimal),
            Case("16 bits for a length of 125", [0x81, 126, 0, 125], .lengthNotMinimal),
            Case("64 bits for a length of 65535", [0x81, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .lengthNotMinimal),
            Case("a length with its highest bit", [0x81, 127] + Array(repeating: 0xFF, count: 8), .lengthOutOfRange),
            Case("a length of 2^62", [0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0], .messageTooBig),
            Case("a length over the limit, no payload yet", [0x82, 127, 0, 0, 0, 0, 0, 0x10, 0, 1], .messageTooBig),
            Case("a close body of 1 byte", frame(8, [3]), .closeBodyTooShort),
            Case("a close reason that is no text", frame(8, [3, 0xE8, 0xFF]), .invalidUTF8),
            Case("a close reason cut within a character", frame(8, [3, 0xE8, 0xE2, 0x82]), .invalidUTF8),
            Case("text that is no text", frame(1, [0x41, 0xFF]), .invalidUTF8),
            Case("text cut within a character", frame(1, [0xE2, 0x82]), .invalidUTF8),
            Case(
                "fragments that end within a character", frame(1, [0xE2], final: false) + frame(0, [0x82]), .invalidUTF8),
        ]
        + [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535].map {
            Case("close code \($0)", frame(8, [UInt8($0 >> 8), UInt8($0 & 0xFF)]), .invalidCloseCode(UInt16($0)))
        }

    @Test("Rules WF-1 to WF-10: every violation is found, whole and byte by byte", arguments: cases)
    func violation(_ example: Case) {
        #expect(events([example.bytes], role: example.role).last == .violation(example.violation))
        let drip = events(example.bytes.map { [$0] }, role: example.role)
        #expect(drip.last == .violation(example.violation))
        #expect(drip.filter { if case .violation = $0 { true } else { false } }.count == 1)
    }

    @Test func `Violations map to the close codes of the RFC`() {
        #expect(WebSocketViolation.invalidUTF8.closeCode == .invalidPayload)
        #expect(WebSocketViolation.messageTooBig.closeCode == .messageTooBig)
        #expect(WebSocketViolation.tooManyFragments.closeCode == .messageTooBig)
        #expect(WebSocketViolation.reservedBits.closeCode == .protocolError)
        #expect(WebSocketViolation.invalidCloseCode(1005).closeCode == .protocolError)
    }

    @Test func `A bad frame is refused at the byte that makes it bad`() {
        #expect(events([[0xC1]]) == [.violation(.reservedBits)])
        #expect(events([[0x83]]) == [.violation(.reservedOpcode(3))])
        #expect(events([[0x81, 0x80]]) == [.violation(.maskedFrameFromServer)])
        #expect(events([[0x89, 126]]) == [.violation(.controlFrameTooLong)])
        #expect(events([[0x81, 20, 0x41, 0xFF]]) == [.violation(.invalidUTF8)])
    }

    @Test func `What comes before a violation is reported, what comes after is ignored`() {
        let bytes = frame(1, [65]) + frame(3) + frame(1, [66])
        #expect(events([bytes, frame(1, [67])]) == [.text("A"), .violation(.reservedOpcode(3))])
    }
}
