import PusherProtocol

/// Who is signed in.
public struct PusherSignedInUser: Hashable, Sendable {
    /// The user's id.
    public let userId: String
    /// The JSON text that was signed: an object with `id` and whatever the endpoint put beside it.
    public let userData: String

    init(_ user: PusherProtocol.PusherUser) {
        userId = user.id
        userData = user.userData
    }
}

/// Why signing in failed. Thrown by `signin()`.
public struct PusherSigninError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people.
    public let message: String
    /// What it is about, such as `accessDenied` or `timeout`; the vocabulary is in `docs/behaviour.md`.
    public let category: String
    /// The endpoint's HTTP status, if that is what failed.
    public let status: Int?

    public var description: String { status.map { "\(message) (HTTP \($0))" } ?? message }
}
