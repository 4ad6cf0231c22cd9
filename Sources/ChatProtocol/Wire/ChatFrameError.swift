import WireCoding

/// The reason why a client's frame was refused. It contains nothing of the frame, so it can be logged and sent to the client.
public struct ChatFrameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The way in which the server handles the invalid frame.
    public enum Kind: Hashable, Sendable {
        /// The frame violates the protocol: it is not a JSON object, has no type, or is an invalid hello.
        case malformed
        /// The frame is an unknown notification, or one that lacks a required member. The server ignores it (chat-protocol.md, section 1).
        case ignored
        /// The frame is an invalid request. The server answers it with `no`.
        case refused(number: UInt64)
    }

    public var kind: Kind
    /// The refusal that the answer contains.
    public var refusal: ChatRequestRefusal

    public init(_ kind: Kind, code: ChatErrorCode, reason: String) {
        self.kind = kind
        refusal = ChatRequestRefusal(code, reason)
    }

    public init(_ kind: Kind, _ refusal: ChatRequestRefusal) {
        self.kind = kind
        self.refusal = refusal
    }

    /// The number of the refused request; nil for other frames.
    public var number: UInt64? {
        guard case .refused(let number) = kind else { return nil }
        return number
    }

    public var code: ChatErrorCode { refusal.code }
    public var description: String { refusal.reason }
}
