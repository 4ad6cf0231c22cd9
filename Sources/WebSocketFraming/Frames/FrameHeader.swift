/// The header of one frame: 2 to 14 bytes (RFC 6455, 5.2).
struct FrameHeader: Hashable {
    var opcode: WebSocketOpcode
    var isFinal: Bool
    var length: Int
    /// The mask; nil when the payload is not masked.
    var mask: FrameMask?
    /// The length of the header in bytes.
    var byteCount: Int

    /// The longest header: 2 bytes, a 64-bit length and a mask.
    static let maximumByteCount = 14

    /// Parses the header at the beginning of `bytes`; returns nil when it is not complete yet.
    ///
    /// Each byte is checked as soon as it has arrived, so an invalid frame is refused before its payload arrives (rule WF-3).
    static func parse(_ bytes: UnsafeRawBufferPointer, role: WebSocketRole) throws(WebSocketViolation) -> FrameHeader? {
        guard let first = bytes.first else { return nil }
        if first & 0x70 != 0 { throw .reservedBits }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else { throw .reservedOpcode(first & 0x0F) }
        let isFinal = first & 0x80 != 0
        if opcode.isControl && !isFinal { throw .fragmentedControlFrame }

        guard bytes.count >= 2 else { return nil }
        let isMasked = bytes[1] & 0x80 != 0
        switch role {
        case .client where isMasked: throw .maskedFrameFromServer
        case .server where !isMasked: throw .unmaskedFrameFromClient
        default: break
        }
        let short = Int(bytes[1] & 0x7F)
        if opcode.isControl && short > 125 { throw .controlFrameTooLong }
        let lengthBytes = short == 127 ? 8 : short == 126 ? 2 : 0
        guard bytes.count >= 2 + lengthBytes else { return nil }
        let length = try length(short, bytes)

        guard isMasked else {
            return FrameHeader(opcode: opcode, isFinal: isFinal, length: length, mask: nil, byteCount: 2 + lengthBytes)
        }
        guard bytes.count >= 6 + lengthBytes else { return nil }
        let mask = FrameMask(wire: bytes.loadUnaligned(fromByteOffset: 2 + lengthBytes, as: UInt32.self))
        return FrameHeader(opcode: opcode, isFinal: isFinal, length: length, mask: mask, byteCount: 6 + lengthBytes)
    }

    /// The length of the payload. Throws if it is encoded in more bytes than needed (rule WF-4).
    private static func length(_ short: Int, _ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Int {
        switch short {
        case 126:
            let length = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            if length < 126 { throw .lengthNotMinimal }
            return Int(length)
        case 127:
            let length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            if length >> 63 != 0 { throw .lengthOutOfRange }
            if length <= 0xFFFF { throw .lengthNotMinimal }
            return Int(truncatingIfNeeded: length)
        default:
            return short
        }
    }
}
