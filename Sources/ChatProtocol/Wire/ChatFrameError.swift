import WireCoding

/// Why a client's frame was refused. Contains no part of the frame, so it is safe to log and to send back.
public struct ChatFrameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server's reaction to the error.
    public enum Kind: Hashable, Sendable {
        /// The frame does not follow the protocol: invalid JSON, not an object, without a type, or an unusable hello.
        case malformed
        /// An unknown notification, or one without a required member, which is ignored (chat-protocol.md, 1).
        case ignored
        /// An invalid request, which is answered with `no`.
        case refused(number: UInt64)
    }

    public var kind: Kind
    /// The refusal in the answer.
    public var refusal: ChatRequestRefusal

    public init(_ kind: Kind, code: ChatErrorCode, reason: String) {
        self.kind = kind
        refusal = ChatRequestRefusal(code, reason)
    }

    public init(_ kind: Kind, _ refusal: ChatRequestRefusal) {
        self.kind = kind
        self.refusal = refusal
    }

    /// The number of the request, if it is known.
    public var number: UInt64? {
        guard case .refused(let number) = kind else { return nil }
        return number
    }

    public var code: ChatErrorCode { refusal.code }
    public var description: String { refusal.reason }
}
