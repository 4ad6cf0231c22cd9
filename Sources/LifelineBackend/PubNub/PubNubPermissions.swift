import PubNubProtocol

/// The rights of a PubNub access token on a resource.
public struct PubNubPermissions: OptionSet, Hashable, Sendable {
    /// The bits in PubNub's encoding.
    public let rawValue: Int

    /// Permissions by PubNub's bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Subscribe, and read history and presence.
    public static let read = PubNubPermissions(rawValue: 1)
    /// Publish.
    public static let write = PubNubPermissions(rawValue: 2)
    /// Change channel groups and memberships.
    public static let manage = PubNubPermissions(rawValue: 4)
    /// Delete messages and metadata.
    public static let delete = PubNubPermissions(rawValue: 8)
    /// Create metadata.
    public static let create = PubNubPermissions(rawValue: 16)
    /// Read metadata.
    public static let get = PubNubPermissions(rawValue: 32)
    /// Change metadata.
    public static let update = PubNubPermissions(rawValue: 64)
    /// Join a channel as a member.
    public static let join = PubNubPermissions(rawValue: 128)
}

/// One entry of a token: a resource, or a pattern of names, with its rights.
public struct PubNubPermission: Hashable, Sendable {
    /// The kinds of resources.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A channel.
        case channel = "channels"
        /// A channel group.
        case group = "groups"
        /// A user id.
        case user = "uuids"
    }

    /// The kind of resource that the name identifies.
    public var kind: Kind
    /// A name, or a regular expression that names have to match.
    public var name: String
    /// Whether ``name`` is a regular expression.
    public var isPattern: Bool
    /// The rights on the resource.
    public var permissions: PubNubPermissions

    /// An entry.
    public init(_ kind: Kind, _ name: String, _ permissions: PubNubPermissions, isPattern: Bool = false) {
        self.kind = kind
        self.name = name
        self.isPattern = isPattern
        self.permissions = permissions
    }

    /// Permissions on a channel.
    public static func channel(_ name: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.channel, name, permissions)
    }

    /// Permissions on all channels whose names match a regular expression.
    public static func channels(matching pattern: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.channel, pattern, permissions, isPattern: true)
    }

    /// Permissions on a channel group.
    public static func group(_ name: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.group, name, permissions)
    }

    /// Permissions on the metadata of a user.
    public static func user(_ id: String, _ permissions: PubNubPermissions) -> PubNubPermission {
        PubNubPermission(.user, id, permissions)
    }
}

/// The contents of an access token. Its signature is not checked, because only the service and holders of the secret key can.
public struct PubNubTokenContents: Hashable, Sendable {
    /// When the token was issued, in seconds since 1970.
    public var issued: Int
    /// When the token expires, in seconds since 1970.
    public var expires: Int
    /// The only user who may use it; nil for everybody.
    public var authorizedUser: String?
    /// The rights that the token grants.
    public var permissions: [PubNubPermission]
    /// Whether it was signed with the backend's secret key.
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
    /// The entries of resources or of patterns, in the encoding of tokens.
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
