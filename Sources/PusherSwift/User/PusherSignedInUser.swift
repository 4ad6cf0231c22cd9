import PusherProtocol

/// The signed-in user.
public struct PusherSignedInUser: Hashable, Sendable {
    /// The user's id.
    public let userId: String
    /// The JSON text that was signed: an object with `id` and other values from the endpoint.
    public let userData: String

    init(_ user: PusherProtocol.PusherUser) {
        userId = user.id
        userData = user.userData
    }
}

/// The error of a sign-in that failed.
public struct PusherSigninError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why the sign-in failed, as a human-readable sentence.
    public let message: String
    /// The kind of failure as a word, such as `accessDenied` or `timeout`. `docs/behaviour.md` lists all words.
    public let category: String
    /// The HTTP status of the endpoint's answer; nil if the answer was not the cause.
    public let status: Int?

    public var description: String { status.map { "\(message) (HTTP \($0))" } ?? message }
}
