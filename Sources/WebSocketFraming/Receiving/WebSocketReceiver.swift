import NIOCore

/// The receiving half of one WebSocket connection as a pure value: decodes bytes into messages and checks every rule of RFC 6455.
///
/// An unmasked message that is complete in the bytes of one read is delivered without a copy. Other messages are assembled in a buffer
/// that grows with the received bytes, never with the announced length.
public struct WebSocketReceiver: Sendable {
    public let role: WebSocketRole
    public var limits: WebSocketLimits

    /// Whether the peer's close frame or a violation has ended the stream. Later bytes are ignored (rule WF-11).
    public private(set) var isFinished = false

    /// The bytes of an incomplete header.
    private var headerBytes: [UInt8] = []
    /// An incomplete frame, and how much of its payload was received.
    private var frame: (header: FrameHeader, received: Int)?
    /// The kind of the message in progress, text or binary; nil between messages.
    private var kind: WebSocketOpcode?
    private var fragments = 0
    private var message: [UInt8] = []
    private var control: [UInt8] = []
    private var validator = UTF8Validator()

    public init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
        self.role = role
        self.limits = limits
    }

    /// Whether a message has begun and not ended. Owners limit its duration (rule WF-12).
    public var hasPartialMessage: Bool {
        kind != nil || frame != nil || !headerBytes.isEmpty
    }

    /// Reads all readable bytes of `buffer` and reports the frames and messages that they complete, in order. `handle` must not use the
    /// receiver.
    ///
    /// - Throws: the violation that ends the stream. Everything before it has been reported.
    public mutating func receive(
        _ buffer: inout ByteBuffer, _ handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        defer { buffer.moveReaderIndex(to: buffer.writerIndex) }
        let violation = buffer.withUnsafeReadableBytes { bytes -> WebSocketViolation? in
            do throws(WebSocketViolation) {
                try walk(bytes, handle)
                return nil
            } catch {
                return error
            }
        }
        guard let violation else { return }
        isFinished = true
        release()
        throw violation
    }

    private mutating func walk(
        _ bytes: UnsafeRawBufferPointer, _ handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        var position = 0
        while position < bytes.count && !isFinished {
            if let partial = frame {
                let count = min(partial.header.length - partial.received, bytes.count - position)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
                position += count
                try resume(partial, piece, handle: handle)
                continue
            }
            guard let header = try nextHeader(bytes, &position) else { return }
            try admit(header)
            if header.length <= bytes.count - position {
                let payload = UnsafeRawBufferPointer(rebasing: bytes[position..<position + header.length])
                position += header.length
                try take(header, payload, handle: handle)
            } else {
                frame = (header, 0)
            }
        }
    }

    /// Reads the next header; nil when the bytes end before it does.
    private mutating func nextHeader(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(WebSocketViolation) -> FrameHeader? {
        if headerBytes.isEmpty {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            if let header = try FrameHeader.parse(rest, role: role) {
                position += header.byteCount
                return header
            }
        }
        while position < bytes.count {
            headerBytes.append(bytes[position])
            position += 1
            let found = headerBytes.withUnsafeBytes { Self.parse($0, role) }
            if let header = try found.get() {
                headerBytes.removeAll(keepingCapacity: true)
                return header
            }
        }
        return nil
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer, _ role: WebSocketRole
    ) -> Result<FrameHeader?, WebSocketViolation> {
        do throws(WebSocketViolation) {
            return .success(try FrameHeader.parse(bytes, role: role))
        } catch {
            return .failure(error)
        }
    }

    /// Checks a frame against the message in progress and the limits, before its payload is read.
    private mutating func admit(_ header: FrameHeader) throws(WebSocketViolation) {
        if header.opcode.isControl { return }
        if header.opcode == .continuation {
            if kind == nil { throw .continuationWithoutStart }
        } else if kind != nil {
            throw .messageInsideMessage
        }
        if header.length > limits.messageBytes - message.count { throw .messageTooBig }
        fragments += 1
        if fragments > limits.fragments { throw .tooManyFragments }
    }

    /// Handles a frame whose payload is complete.
    private mutating func take(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        if header.opcode.isControl || (header.isFinal && kind == nil) {
            guard let mask = header.mask, mask.wire != 0, !payload.isEmpty else {
                return try deliver(header.opcode, payload, handle: handle)
            }
            // The read buffer may be shared with its pool, so unmasking in place would copy all of it.
            let violation = withUnsafeTemporaryAllocation(byteCount: payload.count, alignment: 8) { copy in
                copy.copyMemory(from: payload)
                mask.apply(to: copy)
                do throws(WebSocketViolation) {
                    try deliver(header.opcode, UnsafeRawBufferPointer(copy), handle: handle)
                    return WebSocketViolation?.none
                } catch {
                    return error
                }
            }
            if let violation { throw violation }
            return
        }
        try append(header, payload, offset: 0)
        if header.isFinal { try finishMessage(handle) }
    }

    /// Continues a frame whose payload arrives in pieces.
    private mutating func resume(
        _ partial: (header: FrameHeader, received: Int), _ piece: UnsafeRawBufferPointer,
        handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        let header = partial.header
        let received = partial.received + piece.count
        let isWhole = received == header.length
        frame = isWhole ? nil : (header, received)
        if header.opcode.isControl {
            Self.append(piece, to: &control, mask: header.mask, offset: partial.received)
            guard isWhole else { return }
            var payload: [UInt8] = []
            swap(&payload, &control)
            let result = payload.withUnsafeBytes { deliverResult(header.opcode, $0, handle: handle) }
            return try result.get()
        }
        try append(header, piece, offset: partial.received)
        if isWhole && header.isFinal { try finishMessage(handle) }
    }

    private mutating func append(
        _ header: FrameHeader, _ piece: UnsafeRawBufferPointer, offset: Int
    ) throws(WebSocketViolation) {
        if header.opcode != .continuation { kind = header.opcode }
        let start = message.count
        Self.append(piece, to: &message, mask: header.mask, offset: offset)
        guard kind == .text else { return }
        let isText = message.withUnsafeBytes { validator.accept(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        if !isText { throw .invalidUTF8 }
    }

    private static func append(_ piece: UnsafeRawBufferPointer, to bytes: inout [UInt8], mask: FrameMask?, offset: Int) {
        let start = bytes.count
        bytes.append(contentsOf: piece)
        guard let mask else { return }
        bytes.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]), offset: offset) }
    }

    private mutating func finishMessage(_ handle: (WebSocketEvent) -> Void) throws(WebSocketViolation) {
        if !validator.isComplete { throw .invalidUTF8 }
        let isText = kind == .text
        message.withUnsafeBytes { handle(isText ? .text($0) : .binary($0)) }
        kind = nil
        fragments = 0
        message.removeAll(keepingCapacity: message.capacity <= limits.keptBytes)
    }
}

extension WebSocketReceiver {
    /// Reports one whole message or control frame.
    private mutating func deliver(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        switch opcode {
        case .text:
            guard UTF8Validator.isValid(payload) else { throw .invalidUTF8 }
            fragments = 0
            handle(.text(payload))
        case .binary, .continuation:
            fragments = 0
            handle(.binary(payload))
        case .ping: handle(.ping(payload))
        case .pong: handle(.pong(payload))
        case .close: try deliverClose(payload, handle)
        }
    }

    private mutating func deliverResult(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, handle: (WebSocketEvent) -> Void
    ) -> Result<Void, WebSocketViolation> {
        do throws(WebSocketViolation) {
            return .success(try deliver(opcode, payload, handle: handle))
        } catch {
            return .failure(error)
        }
    }

    private mutating func deliverClose(
        _ payload: UnsafeRawBufferPointer, _ handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        if payload.count == 1 { throw .closeBodyTooShort }
        var code: WebSocketCloseCode?
        var reason = payload
        if payload.count >= 2 {
            let sent = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
            if !sent.mayBeSent { throw .invalidCloseCode(sent.rawValue) }
            reason = UnsafeRawBufferPointer(rebasing: payload[2...])
            if !UTF8Validator.isValid(reason) { throw .invalidUTF8 }
            code = sent
        }
        isFinished = true
        handle(.close(code, reason: reason))
        release()
    }

    /// Releases memory that is only needed while messages arrive.
    private mutating func release() {
        headerBytes = []
        frame = nil
        kind = nil
        message = []
        control = []
    }
}
