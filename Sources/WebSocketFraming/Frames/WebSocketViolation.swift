/// A rule of RFC 6455, or a limit, that the peer violated. The connection has to be closed, because the following bytes cannot be
/// interpreted.
public enum WebSocketViolation: Error, Hashable, Sendable {
    /// A reserved bit is set although no extension was negotiated.
    case reservedBits
    /// An opcode is reserved.
    case reservedOpcode(UInt8)
    /// A server sent a masked frame.
    case maskedFrameFromServer
    /// A client sent an unmasked frame.
    case unmaskedFrameFromClient
    /// A control frame does not have the final bit.
    case fragmentedControlFrame
    /// A control frame has more than 125 bytes.
    case controlFrameTooLong
    /// A continuation frame arrived without a message in progress.
    case continuationWithoutStart
    /// A new message began inside a fragmented one.
    case messageInsideMessage
    /// A length is encoded in more bytes than necessary.
    case lengthNotMinimal
    /// A 64-bit length has its highest bit set.
    case lengthOutOfRange
    /// A close frame has a body of one byte, which cannot contain a code.
    case closeBodyTooShort
    /// A close frame has a code that must not be sent.
    case invalidCloseCode(UInt16)
    /// Text, or the reason in a close frame, is not UTF-8.
    case invalidUTF8
    /// A message is larger than the limit.
    case messageTooBig
    /// A message has more fragments than the limit.
    case tooManyFragments

    /// The close code for the peer (rule WF-10).
    public var closeCode: WebSocketCloseCode {
        switch self {
        case .invalidUTF8: .invalidPayload
        case .messageTooBig, .tooManyFragments: .messageTooBig
        default: .protocolError
        }
    }
}

extension WebSocketViolation: CustomStringConvertible {
    /// The violation as a human-readable sentence; never contains payload.
    public var description: String {
        switch self {
        case .reservedBits: "A reserved bit of a frame is set."
        case .reservedOpcode(let code): "The frame opcode \(code) is reserved."
        case .maskedFrameFromServer: "The server sent a masked frame."
        case .unmaskedFrameFromClient: "The client sent a frame without a mask."
        case .fragmentedControlFrame: "A control frame is fragmented."
        case .controlFrameTooLong: "A control frame is longer than 125 bytes."
        case .continuationWithoutStart: "A continuation frame came without a message to continue."
        case .messageInsideMessage: "A new message starts inside a fragmented one."
        case .lengthNotMinimal: "A frame's length is not in its shortest form."
        case .lengthOutOfRange: "A frame's length is out of range."
        case .closeBodyTooShort: "A close frame has a body of one byte."
        case .invalidCloseCode(let code): "The close code \(code) must not be sent."
        case .invalidUTF8: "Text is not valid UTF-8."
        case .messageTooBig: "A message is larger than the limit."
        case .tooManyFragments: "A message has more fragments than the limit."
        }
    }
}
