import Identifiers

/// An entry of an application's access manager that survives restarts: a grant, or a revoked token.
public struct AccessEntry: Hashable, Sendable {
    /// Identifies an entry by the subject of the grant or revocation: its kind and name, and the auth key. A new entry with the same key
    /// replaces the old one.
    public struct Key: Hashable, Sendable {
        /// The kinds of subjects that access manager entries can have. The raw values are written to disk.
        public enum Kind: Int, CaseIterable, Hashable, Sendable {
            /// All resources.
            case everything = 0
            /// A channel.
            case channel = 1
            /// A channel group.
            case group = 2
            /// A user.
            case user = 3
            /// A token that was revoked, so that the server no longer accepts it.
            case revokedToken = 4
        }

        /// The kind of the entry's subject, such as a channel or a revoked token.
        public var kind: Kind
        /// The name of the channel, group or user. For a revoked token, the token's signature in hexadecimal. Empty when the entry concerns
        /// all resources.
        public var name: Identifier
        /// The auth key to which the rights are granted; nil for everybody.
        public var holder: Identifier?

        /// Makes a key; by default with an empty name, and for everybody.
        public init(_ kind: Kind, _ name: Identifier = "", holder: Identifier? = nil) {
            self.kind = kind
            self.name = name
            self.holder = holder
        }
    }

    /// The subject.
    public var key: Key
    /// The granted rights as a set of bits, whose meaning PubNub's server code defines; 0 for a revoked token.
    public var rights: Int
    /// The lifetime of the grant in minutes; 0 if it never expires.
    public var ttl: Int
    /// The time at which the entry expires, in seconds since 1970; nil if it never expires.
    public var expires: Int?

    /// Makes an entry; by default without rights, and valid for an unlimited time.
    public init(_ key: Key, rights: Int = 0, ttl: Int = 0, expires: Int? = nil) {
        self.key = key
        self.rights = rights
        self.ttl = ttl
        self.expires = expires
    }

    /// Whether the entry is valid at a time in seconds since 1970.
    public func holds(at now: Int) -> Bool { expires.map { now < $0 } ?? true }
}
