import NIOCore

/// The receiving half of one WebSocket connection. A pure value: it decodes bytes into messages and checks every rule of RFC 6455.
///
/// An unmasked message that is complete in the bytes of one read is delivered without a copy. Other messages are assembled in a buffer that
/// grows with the received bytes, and not with the announced length.
public struct WebSocketReceiver: Sendable {
    /// The parts of an incomplete message or frame that have arrived.
    private struct Partial: Sendable {
        /// The bytes of a frame's header that has not arrived completely.
        var headerBytes: [UInt8] = []
        /// The header of an incomplete frame, and the number of received bytes of its payload.
        var frame: (header: FrameHeader, received: Int)?
        /// The kind of the message in progress, text or binary; nil between messages.
        var kind: WebSocketOpcode?
        var fragments = 0
        var message: [UInt8] = []
        var control: [UInt8] = []
        var validator = UTF8Validator()

        var isEmpty: Bool { kind == nil && frame == nil && headerBytes.isEmpty }
    }

    public var limits: WebSocketLimits
    /// One element while a message or frame is incomplete, or while the buffer of the last message is kept for the next one. Otherwise the
    /// array is empty and uses no memory, because a server has many idle connections.
    private var partial: [Partial] = []
    public let role: WebSocketRole

    /// Whether the peer's close frame or a violation has ended the stream. Bytes after that are ignored (rule WF-11).
    public private(set) var isFinished = false

    public init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
        self.role = role
        self.limits = limits
    }

    /// Whether a message has begun and is not complete. The owner limits how long it may take (rule WF-12).
    public var hasPartialMessage: Bool {
        !isBetweenMessages
    }

    // Each property reads one field, because `partial.first` would copy the whole element. in bounds: the array is not empty where its
    // element is read.
    private var isBetweenMessages: Bool { partial.isEmpty || partial[0].isEmpty }
    private var kind: WebSocketOpcode? { partial.isEmpty ? nil : partial[0].kind }
    private var frame: (header: FrameHeader, received: Int)? { partial.isEmpty ? nil : partial[0].frame }
    private var messageBytes: Int { partial.isEmpty ? 0 : partial[0].message.count }
    private var isBetweenHeaders: Bool { partial.isEmpty || partial[0].headerBytes.isEmpty }
    private var isCompleteText: Bool { partial.isEmpty || partial[0].validator.isComplete }

    /// Changes the state of an incomplete message or frame; makes this state first if there is none.
    private mutating func withPartial<Result>(_ body: (inout Partial) -> Result) -> Result {
        if partial.isEmpty { partial = [Partial()] }
        // in bounds: an empty array got its element in the line above.
        return body(&partial[0])
    }

    /// Reads all readable bytes of `buffer`, and reports the messages and control frames that they complete, in order. `handle` must not
    /// use the receiver.
    ///
    /// - Throws: the violation that ends the stream, after all earlier messages have been reported.
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
            if let frame {
                let count = min(frame.header.length - frame.received, bytes.count - position)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
                position += count
                try resume(frame, piece, handle: handle)
                continue
            }
            guard let header = try nextHeader(bytes, &position) else { return }
            try admit(header)
            if header.length <= bytes.count - position {
                let payload = UnsafeRawBufferPointer(rebasing: bytes[position..<position + header.length])
                position += header.length
                try take(header, payload, handle: handle)
            } else {
                withPartial { $0.frame = (header, 0) }
            }
        }
    }

    /// Reads the next frame header; nil when it is not complete.
    private mutating func nextHeader(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(WebSocketViolation) -> FrameHeader? {
        if isBetweenHeaders {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            if let header = try FrameHeader.parse(rest, role: role) {
                position += header.byteCount
                return header
            }
        }
        while position < bytes.count {
            let found = withPartial { [role] partial in
                partial.headerBytes.append(bytes[position])
                return partial.headerBytes.withUnsafeBytes { Self.parse($0, role) }
            }
            position += 1
            if let header = try found.get() {
                withPartial { $0.headerBytes = [] }
                releaseIfEmpty()
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

    /// Checks a frame's header against the message in progress and the limits, before its payload is read.
    private mutating func admit(_ header: FrameHeader) throws(WebSocketViolation) {
        if header.opcode.isControl { return }
        let isContinued = kind != nil
        if header.opcode == .continuation {
            if !isContinued { throw .continuationWithoutStart }
        } else if isContinued {
            throw .messageInsideMessage
        }
        if header.length > limits.messageBytes - messageBytes { throw .messageTooBig }
        // The number of fragments is not checked for a message in a single frame.
        guard isContinued || !header.isFinal else { return }
        let fragments = withPartial { partial in
            partial.fragments += 1
            return partial.fragments
        }
        if fragments > limits.fragments { throw .tooManyFragments }
    }

    /// Handles a frame whose whole payload is in `payload`.
    private mutating func take(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        if header.opcode.isControl || (header.isFinal && kind == nil) {
            guard let mask = header.mask, mask.wire != 0, !payload.isEmpty else {
                return try deliver(header.opcode, payload, handle: handle)
            }
            // The payload is unmasked in a separate copy. The buffer of received bytes may be shared with the pool that allocated it, so
            // unmasking in place would copy the whole buffer.
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

    /// Continues an incomplete frame with the next part of its payload.
    private mutating func resume(
        _ frame: (header: FrameHeader, received: Int), _ piece: UnsafeRawBufferPointer,
        handle: (WebSocketEvent) -> Void
    ) throws(WebSocketViolation) {
        let header = frame.header
        let received = frame.received + piece.count
        let isWhole = received == header.length
        withPartial { $0.frame = isWhole ? nil : (header, received) }
        if header.opcode.isControl {
            var payload: [UInt8] = []
            withPartial { partial in
                Self.append(piece, to: &partial.control, mask: header.mask, offset: frame.received)
                if isWhole { swap(&payload, &partial.control) }
            }
            guard isWhole else { return }
            releaseIfEmpty()
            let result = payload.withUnsafeBytes { deliverResult(header.opcode, $0, handle: handle) }
            return try result.get()
        }
        try append(header, piece, offset: frame.received)
        if isWhole && header.isFinal { try finishMessage(handle) }
    }

    private mutating func append(
        _ header: FrameHeader, _ piece: UnsafeRawBufferPointer, offset: Int
    ) throws(WebSocketViolation) {
        let isValid = withPartial { partial in
            if header.opcode != .continuation { partial.kind = header.opcode }
            let start = partial.message.count
            Self.append(piece, to: &partial.message, mask: header.mask, offset: offset)
            guard partial.kind == .text else { return true }
            var validator = partial.validator
            defer { partial.validator = validator }
            // in bounds: `start` is the number of bytes before the piece was appended.
            return partial.message.withUnsafeBytes { validator.accept(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        }
        if !isValid { throw .invalidUTF8 }
    }

    private static func append(_ piece: UnsafeRawBufferPointer, to bytes: inout [UInt8], mask: FrameMask?, offset: Int) {
        let start = bytes.count
        bytes.append(contentsOf: piece)
        guard let mask else { return }
        // in bounds: `start` is the number of bytes before the piece was appended.
        bytes.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]), offset: offset) }
    }

    private mutating func finishMessage(_ handle: (WebSocketEvent) -> Void) throws(WebSocketViolation) {
        if !isCompleteText { throw .invalidUTF8 }
        let isText = kind == .text
        var message: [UInt8] = []
        withPartial { swap(&message, &$0.message) }
        message.withUnsafeBytes { handle(isText ? .text($0) : .binary($0)) }
        message.removeAll(keepingCapacity: message.capacity <= limits.keptBytes)
        withPartial { partial in
            partial.kind = nil
            partial.fragments = 0
            partial.message = message
        }
        releaseIfEmpty()
    }

    /// Removes the state of incomplete messages if no message is in progress and no buffer is kept for the next one.
    private mutating func releaseIfEmpty() {
        // in bounds: the first condition has checked that there is an element.
        if !partial.isEmpty, partial[0].isEmpty, partial[0].message.capacity == 0 { partial = [] }
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
            handle(.text(payload))
        case .binary, .continuation: handle(.binary(payload))
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

    /// Releases all memory, because the stream has ended.
    private mutating func release() {
        partial = []
    }
}
