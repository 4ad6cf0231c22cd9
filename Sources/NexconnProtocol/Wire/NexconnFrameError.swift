import WireCoding

/// Why a client's frame was not accepted. Holds no part of the frame, so it is safe to log and to send back.
public struct NexconnFrameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How a server reacts to it.
    public enum Kind: Hashable, Sendable {
        /// It is not a frame of the protocol: broken JSON, no object, no type, or a hello that cannot be used.
        case malformed
        /// A notification that is not known or lacks a member: to be ignored (session document, 1).
        case ignored
        /// A request that is answered with `no`.
        case refused(number: UInt64)
    }

    public var kind: Kind
    /// The refusal in the answer.
    public var refusal: NexconnRefusal

    public init(_ kind: Kind, _ code: NexconnCode, _ reason: String) {
        self.kind = kind
        refusal = NexconnRefusal(code, reason)
    }

    public init(_ kind: Kind, _ refusal: NexconnRefusal) {
        self.kind = kind
        self.refusal = refusal
    }

    /// The number of the request, where it is known.
    public var number: UInt64? {
        guard case .refused(let number) = kind else { return nil }
        return number
    }

    public var code: NexconnCode { refusal.code }
    public var description: String { refusal.reason }
}
