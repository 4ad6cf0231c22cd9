/// A received message or frame. Its bytes are valid only during the call that delivers them.
public enum WebSocketEvent {
    /// A whole text message. Its bytes are valid UTF-8.
    case text(UnsafeRawBufferPointer)
    /// A whole binary message.
    case binary(UnsafeRawBufferPointer)
    /// A ping, which has to be answered by a pong with the same payload.
    case ping(UnsafeRawBufferPointer)
    case pong(UnsafeRawBufferPointer)
    /// The peer's close frame, after which no event follows. The code is nil when the frame had no body. The reason is valid UTF-8 of at
    /// most 123 bytes.
    case close(WebSocketCloseCode?, reason: UnsafeRawBufferPointer)
}

/// The limits for messages that a receiver accepts from its peer.
public struct WebSocketLimits: Hashable, Sendable {
    /// The largest size of a message, in bytes, including all its fragments.
    public var messageBytes: Int
    /// The largest number of frames in which one message may be sent.
    public var fragments: Int
    /// The largest size, in bytes, of the buffer in which a receiver assembles fragmented messages and which it keeps between two messages.
    /// A larger buffer is released after each message.
    public var keptBytes: Int

    /// Sets the limits. By default, a message has at most 1 MiB and 1024 fragments, and a receiver keeps at most 16 KiB of its buffer
    /// between two messages.
    public init(messageBytes: Int = 1 << 20, fragments: Int = 1024, keptBytes: Int = 1 << 14) {
        self.messageBytes = max(messageBytes, 0)
        self.fragments = max(fragments, 1)
        self.keptBytes = max(keptBytes, 0)
    }
}
