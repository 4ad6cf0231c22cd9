import Identifiers

/// What the access manager of an application remembers across restarts: a grant, or a token that is not accepted any more.
public struct AccessEntry: Hashable, Sendable {
    /// What an entry is about. Another entry with the same key replaces it.
    public struct Key: Hashable, Sendable {
        /// The raw values are written to disk.
        public enum Kind: Int, CaseIterable, Hashable, Sendable {
            case everything = 0
            case channel = 1
            case group = 2
            case user = 3
            case revokedToken = 4
        }

        public var kind: Kind
        /// The name of the channel, group or user; the signature of a token in hexadecimal; empty for everything.
        public var name: Identifier
        /// The auth key that a grant is for; nil for everybody.
        public var holder: Identifier?

        public init(_ kind: Kind, _ name: Identifier = "", holder: Identifier? = nil) {
            self.kind = kind
            self.name = name
            self.holder = holder
        }
    }

    public var key: Key
    /// The granted rights as a set of bits, whose meaning is the front's business; 0 for a revoked token.
    public var rights: Int
    /// For how many minutes it was granted; 0 for ever.
    public var ttl: Int
    /// When it loses its meaning, in seconds since 1970; nil for never.
    public var expires: Int?

    public init(_ key: Key, rights: Int = 0, ttl: Int = 0, expires: Int? = nil) {
        self.key = key
        self.rights = rights
        self.ttl = ttl
        self.expires = expires
    }

    /// Whether it means anything at a time, in seconds since 1970.
    public func holds(at now: Int) -> Bool { expires.map { now < $0 } ?? true }
}
