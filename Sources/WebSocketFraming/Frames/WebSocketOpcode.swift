/// The type of a frame (RFC 6455, 5.2).
public enum WebSocketOpcode: UInt8, Hashable, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether this is a control frame. A control frame has at most 125 bytes of payload and is never fragmented.
    public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The role of this side in a connection. Clients mask their frames, servers do not.
public enum WebSocketRole: Hashable, Sendable {
    case client
    case server
}
