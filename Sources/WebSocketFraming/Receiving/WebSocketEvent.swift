/// A received message or frame. Its bytes are valid only during the call that delivers them.
public enum WebSocketEvent {
    /// A whole text message; its bytes are UTF-8.
    case text(UnsafeRawBufferPointer)
    /// A whole binary message.
    case binary(UnsafeRawBufferPointer)
    /// A ping, to be answered by a pong with the same payload.
    case ping(UnsafeRawBufferPointer)
    case pong(UnsafeRawBufferPointer)
    /// The peer's close frame: the last event. The code is nil when the frame had no body; the reason is UTF-8, at most 123
    /// bytes.
    case close(WebSocketCloseCode?, reason: UnsafeRawBufferPointer)
}

/// The limits on what a receiver accepts from its peer.
public struct WebSocketLimits: Hashable, Sendable {
    /// The largest message, in bytes, over all its fragments.
    public var messageBytes: Int
    /// The largest number of frames that one message may come in.
    public var fragments: Int
    /// How much memory for fragmented messages is kept between messages, in bytes.
    public var keptBytes: Int

    /// Messages of 1 MiB in 1024 fragments by default.
    public init(messageBytes: Int = 1 << 20, fragments: Int = 1024, keptBytes: Int = 1 << 14) {
        self.messageBytes = max(messageBytes, 0)
        self.fragments = max(fragments, 1)
        self.keptBytes = max(keptBytes, 0)
    }
}
