/// The address and settings of a WebSocket connection, as plain values.
public struct WebSocketEndpoint: Hashable, Sendable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    public var port: Int
    public var usesTLS: Bool
    /// The request target: path and query, percent-encoded, starting with `/`.
    public var target: String
    /// Headers beyond those of the handshake itself.
    public var headers: [Header]
    /// The subprotocols in `Sec-WebSocket-Protocol`, in this order. A server may select one of them or none.
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
    /// A ping control frame; the pong returns its payload of at most 125 bytes.
    case ping([UInt8])
}

/// Decodes the messages of one connection into a session's `Inbound`, in place, on the connection's event loop.
///
/// The bytes are valid during the call only. Text has been checked to be UTF-8. Nil means that the session does not handle the message;
/// it still counts as a sign of life.
public protocol WebSocketDecoder: Sendable {
    associatedtype Inbound: Sendable

    mutating func text(_ bytes: UnsafeRawBufferPointer) -> Inbound?
    /// Appends the result of ``text(_:)``. A requirement, so that the transport, which does not know a session's types, does not have
    /// to move their values.
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

/// A session over a WebSocket.
public protocol WebSocketSession: ProtocolSession where Endpoint == WebSocketEndpoint, Outbound == WebSocketOutbound {
    associatedtype Decoder: WebSocketDecoder where Decoder.Inbound == Inbound
}
