import PubNubProtocol

/// The rights of a PubNub access token on a resource.
public struct PubNubPermissions: OptionSet, Hashable, Sendable {
    /// The rights as bits, in PubNub's encoding.
    public let rawValue: Int

    /// Makes rights from bits in PubNub's encoding.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The right to subscribe, and to read history and presence.
    public static let read = PubNubPermissions(rawValue: 1)
    /// Publish.
    public static let write = PubNubPermissions(rawValue: 2)
    /// The right to change channel groups and memberships.
    public static let manage = PubNubPermissions(rawValue: 4)
    /// The right to delete messages and metadata.
    public static let delete = PubNubPermissions(rawValue: 8)
    /// Create metadata.
    public static let create = PubNubPermissions(rawValue: 16)
    /// Read metadata.
    public static let get = PubNubPermissions(rawValue: 32)
    /// Change metadata.
    public static let update = PubNubPermissions(rawValue: 64)
    /// The right to join a channel as a member.
    public static let join = PubNubPermissions(rawValue: 128)
}

/// One entry of an access token: the rights on one resource, or on all resources whose names match a pattern.
public struct PubNubPermission: Hashable, Sendable {
    /// The kinds of resources on which a token can grant rights.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A channel.
        case channel = "channels"
        /// A channel group.
        case group = "groups"
        /// A user id.
        case user = "uuids"
    }

    /// The kind of resource that ``name`` identifies.
    public var kind: Kind
    /// The name of a resource, or a regular expression that names of resources have to match.
    public var name: String
    /// Whether ``name`` is a regular expression.
    public var isPattern: Bool
    /// The granted rights on the resource.
    public var permissions: PubNubPermissions

    /// An entry.
    public init(_ kind: Kind, _ name: String, _ permissions: PubNubPermissions, isPattern: Bool = false) {
        self.kind = kind
        self.name = name
        self.isPattern = isPattern
        self.permissions = permissions
    }

    /// An entry that grants rights on one channel.
    public static func channel(_ name: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.channel, name, permissions)
    }

    /// An entry that grants rights on all channels whose names match a regular expression.
    public static func channels(matching pattern: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.channel, pattern, permissions, isPattern: true)
    }

    /// An entry that grants rights on one channel group.
    public static func group(_ name: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.group, name, permissions)
    }

    /// An entry that grants rights on the metadata of one user.
    public static func user(_ id: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.user, id, permissions)
    }
}

/// The contents of an access token. The signature is not verified if another issuer has signed the token, because this needs that issuer's
/// secret key.
public struct PubNubTokenContents: Hashable, Sendable {
    /// When the token was issued, in seconds since 1970.
    public var issued: Int
    /// When the token expires, in seconds since 1970.
    public var expires: Int
    /// The only user who may use the token; nil for every user.
    public var authorizedUser: String?
    /// The rights that the token grants.
    public var permissions: [PubNubPermission]
    /// Whether the token was signed with the backend's secret key.
    public var isSignedByBackend: Bool
}

extension PubNubTokenContents {
    init(_ token: PubNubAccessToken, isSignedByBackend: Bool) {
        self.init(
            issued: token.issued, expires: token.expires, authorizedUser: token.authorizedUser,
            permissions: Self.list(token.resources, isPattern: false) + Self.list(token.patterns, isPattern: true),
            isSignedByBackend: isSignedByBackend)
    }

    private static func list(_ grants: PubNubGrants, isPattern: Bool) -> [PubNubPermission] {
        let kinds: [(PubNubPermission.Kind, PubNubGrants.Rights)] = [
            (.channel, grants.channels), (.group, grants.groups), (.user, grants.users),
        ]
        return kinds.flatMap { kind, rights in
            rights.map { PubNubPermission(kind, $0.key.text, .init(rawValue: $0.value.rawValue), isPattern: isPattern) }
        }
    }
}

extension [PubNubPermission] {
    /// The entries that name single resources (`patterns` is false) or patterns of names (true), in the encoding of tokens.
    func grants(patterns: Bool) -> PubNubGrants {
        var grants = PubNubGrants()
        for entry in self where entry.isPattern == patterns {
            let rights = PubNubRights(rawValue: entry.permissions.rawValue)
            switch entry.kind {
            case .channel: grants.channels[.init(entry.name), default: []].formUnion(rights)
            case .group: grants.groups[.init(entry.name), default: []].formUnion(rights)
            case .user: grants.users[.init(entry.name), default: []].formUnion(rights)
            }
        }
        return grants
    }
}
