/// A chat application's key with its secret.
public struct ChatKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The public part of the key, which clients have too.
    public var key: String
    /// The secret of the key, which signs calls. It must not leave the backend.
    public var secret: String

    /// Makes a key from its public part and its secret.
    public init(_ key: String, secret: String) {
        self.key = key
        self.secret = secret
    }

    /// The public part of the key; the secret is left out.
    public var description: String { "key \(key)" }
    /// The public part of the key; the secret is left out.
    public var debugDescription: String { description }
    /// A mirror with the public part of the key; the secret is left out.
    public var customMirror: Mirror { Mirror(self, children: ["key": key]) }
}
