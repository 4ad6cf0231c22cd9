import ChatProtocol
import NIOCore
import ServerRuntime
import WebSocketFraming

/// Encodes chat frames as WebSocket frames.
enum ChatWire {
    static let subprotocol = ChatMemory.subprotocol

    /// The largest size of a client's frame in bytes (chat-protocol.md, section 1).
    static let maximumFrameBytes = 196_608

    /// A message as a WebSocket text frame, encoded once for all its receivers.
    static func frame(_ message: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        message.withUnsafeBytes { writer.writeText($0, to: &buffer) }
        return buffer
    }

    /// Encodes an event without an inbox position, once for all its receivers.
    static func transient(_ body: [UInt8]) -> ByteBuffer {
        frame(ChatServerFrames.transient(body))
    }

    /// The message in an encoded event; nil for other frames.
    static func message(in frame: ByteBuffer) -> ChatMessage? {
        var decoder = ChatFrameDecoder()
        guard case .transient(.message(let message)) = frame.messageOfServerFrame.withUnsafeBytes({ decoder.text($0) })
        else { return nil }
        return message
    }

    /// Encodes an inbox event. The body is copied once, after the prefix, which differs for each receiver.
    static func push(_ body: ByteBuffer, sequence: UInt64) -> ByteBuffer {
        let prefix: StaticString = #"{"t":"in","q":"#
        let infix: StaticString = #","e":"#
        var digits = 1
        var rest = sequence
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        let count = prefix.utf8CodeUnitCount + digits + infix.utf8CodeUnitCount + body.readableBytes + 1
        var buffer = ByteBuffer()
        buffer.reserveCapacity(count + 10)
        WebSocketFrameWriter(role: .server).writeTextHeader(count: count, to: &buffer)
        buffer.writeStaticString(prefix)
        rest = sequence
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits) { text in
            for index in stride(from: digits - 1, through: 0, by: -1) {
                text.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            buffer.writeBytes(UnsafeRawBufferPointer(text))
        }
        buffer.writeStaticString(infix)
        buffer.writeImmutableBuffer(body)
        buffer.writeInteger(UInt8(ascii: "}"))
        return buffer
    }

    /// The `bye` with the reason, if any, followed by the close frame (chat-protocol.md, section 2).
    static func farewell(_ farewell: ChatCloseReason) -> ByteBuffer {
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        switch farewell {
        case .bye(let bye):
            buffer = frame(ChatServerFrames.bye(bye))
            writer.writeClose(WebSocketCloseCode(rawValue: bye.mayRetry ? 4001 : 4000), reason: bye.reason, to: &buffer)
        case .plain(let code, let reason): writer.writeClose(code, reason: reason, to: &buffer)
        }
        return buffer
    }
}

/// The reason why the server closes a connection.
enum ChatCloseReason: Sendable {
    case bye(ChatBye)
    /// A close code of the WebSocket layer, sent without a `bye`.
    case plain(WebSocketCloseCode, String)

    /// The reason's code: that of the `bye`, or the WebSocket close code. Metrics and logs have this number.
    var number: Int {
        switch self {
        case .bye(let bye): bye.code.rawValue
        case .plain(let code, _): Int(code.rawValue)
        }
    }

    /// The reason as a text, for logs and the console.
    var reason: String? {
        switch self {
        case .bye(let bye): bye.reason
        case .plain(_, let reason): reason
        }
    }
}

extension ChatBye {
    static let unknownApplication = ChatBye(code: .unknownApplication, reason: "There is no application with this key.")
    static let disabledApplication = ChatBye(code: .disabledApplication, reason: "The application is disabled.")
    static let kicked = ChatBye(code: .kicked, reason: "The user signed in on another device.")
    static let noHello = ChatBye(code: .badHello, reason: "The client's first frame was not a valid hello.")
    static let tooMuchBeforeHello = ChatBye(
        code: .badHello,
        reason: "The client sent more than \(ChatConnection.earlyBytes) bytes or \(ChatConnection.earlyFrames) frames "
            + "before its hello.")
    static let lateHello = ChatBye(code: .badHello, reason: "The client did not send its hello in time.")
    static let unknownVersion = ChatBye(code: .badHello, reason: "The server supports only version 1 of the protocol.")
    static let full = ChatBye(
        code: .tooManyConnections, reason: "The server has reached its limit of connections.", mayRetry: true, after: 5_000)
    /// The `bye` for a slow reader. Its delay is 1 s, because reconnecting at once would not help a client that reads too slowly.
    static let slow = ChatBye(
        code: .tooFrequent, reason: "The client reads its messages more slowly than they arrive.", mayRetry: true, after: 1_000)
    static let unreadable = ChatBye(
        code: .serverRestarts, reason: "The server could not read the user's inbox from its store.", mayRetry: true, after: 1_000)

    /// The `bye` of a server that shuts down. `after` is the delay in ms before reconnecting. It differs for each connection, so that
    /// clients do not reconnect at the same time.
    static func restarting(after: Int) -> ChatBye {
        ChatBye(code: .serverRestarts, reason: "The server is shutting down.", mayRetry: true, after: after)
    }
}
