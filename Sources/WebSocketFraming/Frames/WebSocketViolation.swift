/// A rule of RFC 6455, or a limit, that the peer has violated. The connection has to be closed, because the following bytes cannot be
/// interpreted.
public enum WebSocketViolation: Error, Hashable, Sendable {
    /// A reserved bit is set although no extension was negotiated.
    case reservedBits
    /// A frame has a reserved opcode.
    case reservedOpcode(UInt8)
    /// A server sent a masked frame.
    case maskedFrameFromServer
    /// A client sent a frame without a mask.
    case unmaskedFrameFromClient
    /// A control frame is fragmented: it does not have the final bit.
    case fragmentedControlFrame
    /// A control frame has more than 125 bytes.
    case controlFrameTooLong
    /// A continuation frame arrived without a message in progress.
    case continuationWithoutStart
    /// A new message began before the previous, fragmented message had ended.
    case messageInsideMessage
    /// A length is encoded in more bytes than necessary.
    case lengthNotMinimal
    /// A 64-bit length has its highest bit set.
    case lengthOutOfRange
    /// A close frame has a body of one byte, which cannot contain a code.
    case closeBodyTooShort
    /// A close frame has a code that must not be sent in a close frame.
    case invalidCloseCode(UInt16)
    /// A text message, or the reason in a close frame, is not valid UTF-8.
    case invalidUTF8
    /// A message is larger than ``WebSocketLimits/messageBytes``.
    case messageTooBig
    /// A message has more fragments than ``WebSocketLimits/fragments``.
    case tooManyFragments

    /// The code of the close frame with which the violation is answered (rule WF-10).
    public var closeCode: WebSocketCloseCode {
        switch self {
        case .invalidUTF8: .invalidPayload
        case .messageTooBig, .tooManyFragments: .messageTooBig
        default: .protocolError
        }
    }
}

extension WebSocketViolation: CustomStringConvertible {
    /// The violation as an English sentence. It contains no part of the payload.
    public var description: String {
        switch self {
        case .reservedBits: "A frame has a reserved bit set, but no extension was negotiated."
        case .reservedOpcode(let code): "A frame has the reserved opcode \(code)."
        case .maskedFrameFromServer: "The server sent a masked frame."
        case .unmaskedFrameFromClient: "The client sent a frame without a mask."
        case .fragmentedControlFrame: "A control frame is fragmented, which WebSocket does not allow."
        case .controlFrameTooLong: "A control frame is longer than 125 bytes."
        case .continuationWithoutStart: "A continuation frame arrived, but no message is in progress."
        case .messageInsideMessage: "A new message began before the previous, fragmented message had ended."
        case .lengthNotMinimal: "The length of a frame is encoded in more bytes than necessary."
        case .lengthOutOfRange: "The length of a frame exceeds 63 bits."
        case .closeBodyTooShort: "A close frame has a body of one byte, which cannot contain a close code."
        case .invalidCloseCode(let code): "The close code \(code) must not be sent in a close frame."
        case .invalidUTF8: "A text message or the reason of a close frame is not valid UTF-8."
        case .messageTooBig: "A message is larger than the limit of the receiver."
        case .tooManyFragments: "A message has more fragments than the receiver allows."
        }
    }
}
