import NIOCore

/// Writes frames: masked for a client, unmasked for a server. A pure value; the caller supplies the generator of masks.
///
/// A server that sends one message to many clients encodes it once and shares the buffer (rule WF-14).
public struct WebSocketFrameWriter<Random: RandomNumberGenerator & Sendable>: Sendable {
    public let role: WebSocketRole
    private var random: Random
    /// The second half of the last 64-bit random number, to be used as the next mask; nil when it was used.
    private var spare: UInt32?

    public init(role: WebSocketRole, random: Random) {
        self.role = role
        self.random = random
    }

    /// Appends a text message in one frame.
    public mutating func writeText(_ text: String, to buffer: inout ByteBuffer) {
        var text = text
        text.withUTF8 { writeFrame(.text, UnsafeRawBufferPointer($0), to: &buffer) }
    }

    /// Appends a text message in one frame. The bytes must be valid UTF-8.
    public mutating func writeText(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        writeFrame(.text, bytes, to: &buffer)
    }

    /// Appends a binary message in one frame.
    public mutating func writeBinary(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        writeFrame(.binary, bytes, to: &buffer)
    }

    /// Appends a ping. The payload is truncated to 125 bytes.
    public mutating func writePing(_ payload: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        writeControl(.ping, payload, to: &buffer)
    }

    /// Appends a pong. The payload is truncated to 125 bytes.
    public mutating func writePong(_ payload: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        writeControl(.pong, payload, to: &buffer)
    }

    /// Appends a close frame. The frame has no body if `code` is nil or may not be sent. The reason is cut to 123 bytes, between two
    /// characters.
    public mutating func writeClose(_ code: WebSocketCloseCode?, reason: String = "", to buffer: inout ByteBuffer) {
        guard let code, code.mayBeSent else {
            return writeFrame(.close, UnsafeRawBufferPointer(start: nil, count: 0), to: &buffer)
        }
        var body: [UInt8] = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            if body.count + encoded.count > 125 { break }
            body.append(contentsOf: encoded)
        }
        body.withUnsafeBytes { writeFrame(.close, $0, to: &buffer) }
    }

    private mutating func writeControl(_ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, to buffer: inout ByteBuffer)
    {
        writeFrame(opcode, UnsafeRawBufferPointer(rebasing: payload.prefix(125)), to: &buffer)
    }

    /// Appends one frame without checks, so that tests and senders of fragments can choose the final bit.
    public mutating func writeFrame(
        _ opcode: WebSocketOpcode, isFinal: Bool = true, _ payload: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
    ) {
        let maskBit: UInt8 = role == .client ? 0x80 : 0
        buffer.reserveCapacity(minimumWritableBytes: FrameHeader.maximumByteCount + payload.count)
        buffer.writeInteger(opcode.rawValue | (isFinal ? 0x80 : 0))
        writeLength(payload.count, maskBit: maskBit, to: &buffer)
        guard role == .client else {
            buffer.writeBytes(payload)
            return
        }
        let mask = FrameMask(wire: nextMask())
        buffer.writeInteger(mask.wire, endianness: .host)
        let start = buffer.readableBytes
        buffer.writeBytes(payload)
        // in bounds: `start` is the length before the payload was written.
        buffer.withUnsafeMutableReadableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Appends the header of a text message in one frame. The caller then appends `count` bytes of UTF-8, so that the message can be
    /// assembled from shared parts. For servers only, because payloads of clients must be masked.
    public func writeTextHeader(count: Int, to buffer: inout ByteBuffer) {
        buffer.writeInteger(WebSocketOpcode.text.rawValue | 0x80)
        writeLength(count, maskBit: 0, to: &buffer)
    }

    private func writeLength(_ count: Int, maskBit: UInt8, to buffer: inout ByteBuffer) {
        switch count {
        case ...125:
            buffer.writeInteger(UInt8(count) | maskBit)
        case ...0xFFFF:
            buffer.writeInteger(126 | maskBit)
            buffer.writeInteger(UInt16(count))
        default:
            buffer.writeInteger(127 | maskBit)
            buffer.writeInteger(UInt64(count))
        }
    }

    private mutating func nextMask() -> UInt32 {
        if let half = spare {
            spare = nil
            return half
        }
        let number: UInt64 = random.next()
        spare = UInt32(truncatingIfNeeded: number >> 32)
        return UInt32(truncatingIfNeeded: number)
    }
}

extension WebSocketFrameWriter where Random == SystemRandomNumberGenerator {
    /// Makes a writer that takes its masks from the system's random number generator.
    public init(role: WebSocketRole) {
        self.init(role: role, random: SystemRandomNumberGenerator())
    }
}
