import ConnectionEngine

/// A WebSocket message whose content is not decoded.
enum PlainMessage: Sendable {
    case text(String)
    case binary([UInt8])
    case pong
}

/// Passes WebSocket messages on without decoding their content.
struct PlainDecoder: WebSocketDecoder {
    mutating func text(_ bytes: UnsafeRawBufferPointer) -> PlainMessage? {
        .text(String(decoding: bytes, as: UTF8.self))
    }

    mutating func binary(_ bytes: UnsafeRawBufferPointer) -> PlainMessage? {
        .binary(Array(bytes))
    }

    mutating func pong(_ payload: UnsafeRawBufferPointer) -> PlainMessage? {
        .pong
    }
}

/// A session without behaviour, whose types let the WebSocket transport carry messages for ``NWWebSocket``. No machine runs it.
struct PlainSession: WebSocketSession {
    typealias Endpoint = WebSocketEndpoint
    typealias Inbound = PlainMessage
    typealias Outbound = WebSocketOutbound
    typealias Command = Never
    typealias Reply = Never
    typealias Event = Never
    typealias Job = Never
    typealias JobResult = Never
    typealias Memory = WebSocketEndpoint
    typealias Decoder = PlainDecoder

    static func endpoint(for memory: WebSocketEndpoint) -> WebSocketEndpoint { memory }

    init(memory: inout WebSocketEndpoint) {}

    mutating func opened(memory: inout WebSocketEndpoint, out: inout SessionActions<Self>) {}

    mutating func received(
        _ inbound: PlainMessage, memory: inout WebSocketEndpoint, out: inout SessionActions<Self>
    ) {}

    mutating func perform(
        _ command: Never, id: RequestID?, memory: inout WebSocketEndpoint, out: inout SessionActions<Self>
    ) {}

    static func performOffline(
        _ command: Never, id: RequestID?, memory: inout WebSocketEndpoint, out: inout SessionActions<Self>
    ) {}
}
