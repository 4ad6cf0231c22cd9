/// A chat application's key with its secret.
public struct ChatKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The public part, which clients have as well.
    public var key: String
    /// The secret. Must not leave the backend.
    public var secret: String

    /// A key with its secret.
    public init(_ key: String, secret: String) {
        self.key = key
        self.secret = secret
    }

    /// The key without the secret.
    public var description: String { "key \(key)" }
    /// The key without the secret.
    public var debugDescription: String { description }
    /// The key without the secret.
    public var customMirror: Mirror { Mirror(self, children: ["key": key]) }
}
