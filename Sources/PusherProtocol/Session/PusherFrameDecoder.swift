import ConnectionEngine

/// The decoded content of one frame of a Pusher connection.
public enum PusherInbound: Sendable {
    /// A message. `text` is the received frame if the decoder keeps the texts of frames, otherwise nil.
    case message(PusherEnvelope, text: String?)
    /// A frame that is not a Pusher message, with the reason. `text` is as in ``message(_:text:)``.
    case malformed(reason: String, text: String?)
    /// The answer to a ping control frame, with the ping's payload.
    case pong([UInt8])
}

/// Decodes frames into messages, on the connection's event loop.
public struct PusherFrameDecoder: WebSocketDecoder {
    private var parser = PusherEnvelopeParser()
    private let keepsText: @Sendable () -> Bool

    /// Makes a decoder.
    ///
    /// - Parameter keepsText: returns for every frame whether its text is kept as well, for a log. Called on the event loop.
    public init(keepsText: @escaping @Sendable () -> Bool = { false }) {
        self.keepsText = keepsText
    }

    public mutating func text(_ bytes: UnsafeRawBufferPointer) -> PusherInbound? {
        let text = keepsText() ? String(decoding: bytes, as: UTF8.self) : nil
        do throws(PusherEnvelopeError) {
            return .message(try parser.parse(bytes), text: text)
        } catch {
            return .malformed(reason: error.description, text: text)
        }
    }

    public mutating func binary(_ bytes: UnsafeRawBufferPointer) -> PusherInbound? {
        .malformed(reason: "The received message is binary, but Pusher messages are text.", text: nil)
    }

    public mutating func pong(_ payload: UnsafeRawBufferPointer) -> PusherInbound? {
        .pong(Array(payload))
    }
}
