/// The address and settings of a WebSocket connection, as plain values.
public struct WebSocketEndpoint: Hashable, Sendable {
    /// A name or an address; IPv6 addresses without brackets.
    public var host: String
    public var port: Int
    public var usesTLS: Bool
    /// The request target: path and query, percent-encoded, starting with `/`.
    public var target: String
    /// Headers beyond those of the handshake itself.
    public var headers: [Header]
    /// Offered in this order in `Sec-WebSocket-Protocol`. A server may pick one of them or none.
    public var subprotocols: [String]

    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
        host: String, port: Int, usesTLS: Bool, target: String = "/", headers: [Header] = [], subprotocols: [String] = []
    ) {
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
        self.target = target
        self.headers = headers
        self.subprotocols = subprotocols
    }
}

/// An element that a session sends over a WebSocket.
public enum WebSocketOutbound: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
    /// A ping control frame; the payload, at most 125 bytes, comes back in the pong.
    case ping([UInt8])
}

/// Turns the messages of one connection into a session's `Inbound`, in place, on the connection's event loop.
///
/// The bytes are valid during the call only. Text has been checked to be UTF-8. Returning nil means that the message is none of
/// the session's business; it still proves life.
public protocol WebSocketDecoder: Sendable {
    associatedtype Inbound: Sendable

    mutating func text(_ bytes: UnsafeRawBufferPointer) -> Inbound?
    /// Appends what ``text(_:)`` gives. A requirement, so that the transport, which knows no session's types, moves none of their values.
    mutating func text(_ bytes: UnsafeRawBufferPointer, into received: inout [Inbound])
    mutating func binary(_ bytes: UnsafeRawBufferPointer) -> Inbound?
    mutating func pong(_ payload: UnsafeRawBufferPointer) -> Inbound?
}

extension WebSocketDecoder {
    @inlinable
    public mutating func text(_ bytes: UnsafeRawBufferPointer, into received: inout [Inbound]) {
        if let inbound = text(bytes) { received.append(inbound) }
    }
}

/// A session that speaks over a WebSocket.
public protocol WebSocketSession: ProtocolSession where Endpoint == WebSocketEndpoint, Outbound == WebSocketOutbound {
    associatedtype Decoder: WebSocketDecoder where Decoder.Inbound == Inbound
}
