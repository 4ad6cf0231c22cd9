import Identifiers

/// An entry of an application's access manager that survives restarts: a grant, or a revoked token.
public struct AccessEntry: Hashable, Sendable {
    /// The subject of an entry. Another entry with the same key replaces it.
    public struct Key: Hashable, Sendable {
        /// The kinds of subjects. The raw values are written to disk.
        public enum Kind: Int, CaseIterable, Hashable, Sendable {
            /// All resources.
            case everything = 0
            /// A channel.
            case channel = 1
            /// A channel group.
            case group = 2
            /// A user.
            case user = 3
            /// A token that is no longer accepted.
            case revokedToken = 4
        }

        /// The kind of subject.
        public var kind: Kind
        /// The name of the channel, group or user; the signature of a token in hexadecimal; empty for everything.
        public var name: Identifier
        /// The auth key that a grant is for; nil for everybody.
        public var holder: Identifier?

        /// The key of a subject.
        public init(_ kind: Kind, _ name: Identifier = "", holder: Identifier? = nil) {
            self.kind = kind
            self.name = name
            self.holder = holder
        }
    }

    /// The subject.
    public var key: Key
    /// The granted rights as a set of bits, whose meaning the front defines; 0 for a revoked token.
    public var rights: Int
    /// The lifetime of the grant in minutes; 0 for ever.
    public var ttl: Int
    /// When it expires, in seconds since 1970; nil for never.
    public var expires: Int?

    /// An entry about a subject.
    public init(_ key: Key, rights: Int = 0, ttl: Int = 0, expires: Int? = nil) {
        self.key = key
        self.rights = rights
        self.ttl = ttl
        self.expires = expires
    }

    /// Whether the entry is valid at a time in seconds since 1970.
    public func holds(at now: Int) -> Bool { expires.map { now < $0 } ?? true }
}
