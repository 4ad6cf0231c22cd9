/// A rule of RFC 6455, or a limit, that the peer broke. The connection cannot go on: what follows has no meaning.
public enum WebSocketViolation: Error, Hashable, Sendable {
    /// A reserved bit is set although no extension was agreed on.
    case reservedBits
    /// An opcode without a meaning.
    case reservedOpcode(UInt8)
    /// A server must not mask.
    case maskedFrameFromServer
    /// A client must mask.
    case unmaskedFrameFromClient
    /// A control frame without the final bit.
    case fragmentedControlFrame
    /// A control frame of more than 125 bytes.
    case controlFrameTooLong
    /// A continuation without a message in progress.
    case continuationWithoutStart
    /// A new message inside a fragmented one.
    case messageInsideMessage
    /// A length in more bytes than it needs.
    case lengthNotMinimal
    /// A 64-bit length with its highest bit set.
    case lengthOutOfRange
    /// A close frame with one byte, which is neither a code nor nothing.
    case closeBodyTooShort
    /// A close code that no peer may send.
    case invalidCloseCode(UInt16)
    /// Text, or the reason in a close frame, is not UTF-8.
    case invalidUTF8
    /// A message is larger than the limit.
    case messageTooBig
    /// A message came in more fragments than the limit.
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
    /// A sentence for people; never holds payload.
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
