/// The type of a frame (RFC 6455, 5.2).
public enum WebSocketOpcode: UInt8, Hashable, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether the frame is about the connection itself: at most 125 bytes, never fragmented.
    public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Which end of a connection a value works for. Clients mask what they send, servers do not.
public enum WebSocketRole: Hashable, Sendable {
    case client
    case server
}
