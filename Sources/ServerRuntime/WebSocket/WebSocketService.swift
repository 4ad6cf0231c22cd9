import NIOCore
import ServerValues
import WebSocketFraming

/// The settings that all WebSockets of one service (``ServerFront``) share.
@usableFromInline
package final class WebSocketService: Sendable {
    package let context: ServerContext
    package let name: ServiceName
    /// The slot under which metrics count connections without an application.
    package let otherSlot: MetricSlot
    let limits: WebSocketLimits
    /// The time without received bytes after which the server pings a client, and how long the server then waits for an answer.
    let (silence, pongTimeout): (Duration, Duration)
    let ping: ByteBuffer

    /// - Parameters:
    ///   - messageBytes: the size limit of a client's message.
    ///   - ping: the frames of a ping in the protocol of the ``ServerFront``.
    package init(
        _ context: ServerContext, of service: ServiceName, messageBytes: Int, silence: Duration, pongTimeout: Duration,
        ping: ByteBuffer = WebSocketService.ping
    ) {
        self.context = context
        name = service
        otherSlot = context.names.other(service)
        limits = WebSocketLimits(messageBytes: messageBytes, fragments: context.settings.maximumFragments, keptBytes: 0)
        (self.silence, self.pongTimeout) = (silence, pongTimeout)
        self.ping = ping
    }

    /// Returns the name of the application that metrics count under a slot.
    func application(at slot: MetricSlot) -> String {
        let names = context.names.names
        return names.indices.contains(slot.index) ? names[slot.index].application.text : ""
    }

    /// The frame of a WebSocket ping without a payload.
    package static let ping: ByteBuffer = {
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writePing(UnsafeRawBufferPointer(start: nil, count: 0), to: &buffer)
        return buffer
    }()
}

/// The reason for which the server closes a WebSocket, independent of the protocol over the WebSocket.
public enum WebSocketFault: Sendable {
    /// Too many sent bytes wait until the client reads them (rule SV-4).
    case slow
    /// A message, or the required first message of the client, did not arrive in time.
    case late
    /// Nothing was received from the client in time, not even a pong.
    case silent
    /// The server is shutting down.
    case draining
    /// The client's bytes violate the WebSocket protocol, or are not text.
    case violation(WebSocketCloseCode, String)

    /// The close code for a protocol that defines none of its own.
    public var code: WebSocketCloseCode {
        switch self {
        case .slow, .late, .silent: .policyViolation
        case .draining: .goingAway
        case .violation(let code, _): code
        }
    }

    public var reason: String {
        switch self {
        case .slow: "The client reads too slowly."
        case .late: "A message took too long to arrive."
        case .silent: "The client sent nothing in time, not even a pong."
        case .draining: "The server is shutting down."
        case .violation(_, let reason): reason
        }
    }
}
