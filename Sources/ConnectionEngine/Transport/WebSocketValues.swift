/// The address and settings of a WebSocket connection, as plain values.
public struct WebSocketEndpoint: Hashable, Sendable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    public var port: Int
    public var usesTLS: Bool
    /// The request target: path and query, percent-encoded, starting with `/`.
    public var target: String
    /// Headers of the upgrade request in addition to those that the WebSocket handshake requires.
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

/// A frame that a session sends over a WebSocket.
public enum WebSocketOutbound: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
    /// A ping control frame with a payload of at most 125 bytes, which the pong returns.
    case ping([UInt8])
}

/// Decodes the messages of one connection into a session's `Inbound`, in place, on the connection's event loop.
///
/// The bytes are valid during the call only. Text has been checked to be UTF-8. A method returns nil for a message that the session does
/// not handle; such a message still proves that the connection is alive.
public protocol WebSocketDecoder: Sendable {
    associatedtype Inbound: Sendable

    mutating func text(_ bytes: UnsafeRawBufferPointer) -> Inbound?
    /// Appends the result of ``text(_:)`` to `received`. For speed, this method is a requirement of the protocol and not only an extension:
    /// the decoder's own code then appends the value, and the generic code of the transport does not move it.
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

/// A session whose transport is a WebSocket.
public protocol WebSocketSession: ProtocolSession where Endpoint == WebSocketEndpoint, Outbound == WebSocketOutbound {
    associatedtype Decoder: WebSocketDecoder where Decoder.Inbound == Inbound
}
