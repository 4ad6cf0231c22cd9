import NIOCore
import ServerValues
import WebSocketFraming

/// The settings that all WebSockets of a front share.
@usableFromInline
package final class WebSocketService: Sendable {
    package let context: ServerContext
    package let name: ServiceName
    /// The slot under which metrics count connections without an application.
    package let otherSlot: MetricSlot
    let limits: WebSocketLimits
    /// The server pings a client after this much silence, and waits this long for an answer.
    let (silence, pongTimeout): (Duration, Duration)
    let ping: ByteBuffer

    /// - Parameters:
    ///   - messageBytes: the largest message of a client.
    ///   - ping: the frames that ask whether a client is alive.
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

    /// The name of the application at a slot in metrics.
    func application(at slot: MetricSlot) -> String {
        let names = context.names.names
        return names.indices.contains(slot.index) ? names[slot.index].application.text : ""
    }

    /// A plain WebSocket ping.
    package static let ping: ByteBuffer = {
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writePing(UnsafeRawBufferPointer(start: nil, count: 0), to: &buffer)
        return buffer
    }()
}

/// Why the server ends a WebSocket, whatever its protocol.
public enum WebSocketFault: Sendable {
    /// More waits for the client than may (rule SV-4).
    case slow
    /// A message, or the first message where the client has to begin, took too long.
    case late
    /// Nothing came from the client, not even a pong.
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
        case .slow: "The connection reads too slowly."
        case .late: "A message took too long to arrive."
        case .silent: "Nothing came from the connection, not even a pong."
        case .draining: "The server is shutting down."
        case .violation(_, let reason): reason
        }
    }
}
