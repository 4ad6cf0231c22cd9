import Identifiers

/// One fact of the directory, small enough to be written whole whenever it changes. Chat is restored from these.
public enum ChatDocument: Codable, Hashable, Sendable {
    case user(ChatUser)
    case token(ChatToken)
    case group(ChatGroup)
    case member(ChatMember)
    case openChannel(ChatOpenChannel)
    case openEntry(ChatOpenEntry)
    case setting(ChatSetting)
    case restriction(ChatRestriction)
    case subscription(ChatSubscription)

    public var key: ChatDocumentKey {
        switch self {
        case .user(let user): ChatDocumentKey(.user, user.id)
        case .token(let token): ChatDocumentKey(.token, token.token)
        case .group(let group): ChatDocumentKey(.group, group.id)
        case .member(let member): .member(group: member.group, user: member.user)
        case .openChannel(let channel): ChatDocumentKey(.openChannel, channel.id)
        case .openEntry(let entry): .openEntry(channel: entry.channel, key: entry.key)
        case .setting(let setting): .setting(user: setting.user, channel: setting.channel)
        case .restriction(let restriction): restriction.key
        case .subscription(let subscription): .subscription(watcher: subscription.watcher, user: subscription.user)
        }
    }
}

public struct ChatDocumentKey: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
        case user, token, group, member, openChannel, openEntry, setting, restriction, subscription
    }

    public var kind: Kind
    public var name: Identifier

    public init(_ kind: Kind, _ name: Identifier) {
        self.kind = kind
        self.name = name
    }

    /// Parts are put together with a character that no id may contain.
    private static func joined(_ parts: Identifier...) -> Identifier {
        Identifier(parts.map(\.text).joined(separator: "\u{1F}"))
    }

    public static func member(group: Identifier, user: Identifier) -> Self { Self(.member, joined(group, user)) }
    public static func openEntry(channel: Identifier, key: Identifier) -> Self { Self(.openEntry, joined(channel, key)) }
    public static func setting(user: Identifier, channel: Identifier) -> Self { Self(.setting, joined(user, channel)) }
    public static func restriction(_ kind: ChatRestriction.Kind, scope: Identifier, user: Identifier) -> Self {
        Self(.restriction, joined(Identifier(kind.rawValue), scope, user))
    }
    public static func subscription(watcher: Identifier, user: Identifier) -> Self { Self(.subscription, joined(watcher, user)) }
}

/// A user of an application. Times in all of these are ms since 1970.
public struct ChatUser: Codable, Hashable, Sendable {
    public var id: Identifier
    public var name: String
    public var avatar: String
    public var extra: [String: String]
    public var created: Int64
    /// Whether the account was deactivated.
    public var isDeactivated: Bool
    /// Tokens issued before this instant are void.
    public var tokensExpireBefore: Int64?

    public init(
        id: Identifier, name: String = "", avatar: String = "", extra: [String: String] = [:], created: Int64 = 0,
        isDeactivated: Bool = false, tokensExpireBefore: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.avatar = avatar
        self.extra = extra
        self.created = created
        self.isDeactivated = isDeactivated
        self.tokensExpireBefore = tokensExpireBefore
    }
}

/// An access token. The token itself is kept as its SHA-256 in hex, so that a stolen file opens no session.
public struct ChatToken: Codable, Hashable, Sendable {
    public var token: Identifier
    public var user: Identifier
    public var issued: Int64
    public var expires: Int64?

    public init(token: Identifier, user: Identifier, issued: Int64, expires: Int64? = nil) {
        self.token = token
        self.user = user
        self.issued = issued
        self.expires = expires
    }
}

public struct ChatGroup: Codable, Hashable, Sendable {
    public var id: Identifier
    public var name: String
    public var owner: Identifier
    public var avatar: String?
    public var introduction: String?
    public var notice: String?
    public var joinPermission: Int
    public var invitePermission: Int
    public var extra: [String: String]
    public var created: Int64
    public var isMuted: Bool

    public init(
        id: Identifier, name: String, owner: Identifier, avatar: String? = nil, introduction: String? = nil,
        notice: String? = nil,
        joinPermission: Int = 0, invitePermission: Int = 0, extra: [String: String] = [:], created: Int64 = 0,
        isMuted: Bool = false
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.avatar = avatar
        self.introduction = introduction
        self.notice = notice
        self.joinPermission = joinPermission
        self.invitePermission = invitePermission
        self.extra = extra
        self.created = created
        self.isMuted = isMuted
    }
}

public struct ChatMember: Codable, Hashable, Sendable {
    public enum Role: String, Codable, Hashable, Sendable { case owner, admin, member }

    public var group: Identifier
    public var user: Identifier
    public var role: Role
    public var nickname: String?
    public var extra: String?
    public var joined: Int64

    public init(
        group: Identifier, user: Identifier, role: Role = .member, nickname: String? = nil, extra: String? = nil,
        joined: Int64 = 0
    ) {
        self.group = group
        self.user = user
        self.role = role
        self.nickname = nickname
        self.extra = extra
        self.joined = joined
    }
}

public struct ChatOpenChannel: Codable, Hashable, Sendable {
    public var id: Identifier
    public var created: Int64
    public var isMuted: Bool
    /// Whether it goes by itself once nobody has said anything for its lifetime (ms); nil for never.
    public var lifetime: Int64?

    public init(id: Identifier, created: Int64, isMuted: Bool = false, lifetime: Int64? = nil) {
        self.id = id
        self.created = created
        self.isMuted = isMuted
        self.lifetime = lifetime
    }
}

public struct ChatOpenEntry: Codable, Hashable, Sendable {
    public var channel: Identifier
    public var key: Identifier
    public var value: String
    public var owner: Identifier
    public var isDeletedWhenLeft: Bool

    public init(channel: Identifier, key: Identifier, value: String, owner: Identifier, isDeletedWhenLeft: Bool = false) {
        self.channel = channel
        self.key = key
        self.value = value
        self.owner = owner
        self.isDeletedWhenLeft = isDeletedWhenLeft
    }
}

/// A user's settings of a channel. `channel` is the kind's word, or the kind's word, `:` and the id.
public struct ChatSetting: Codable, Hashable, Sendable {
    public var user: Identifier
    public var channel: Identifier
    public var isPinned: Bool
    public var level: Int

    public init(user: Identifier, channel: Identifier, isPinned: Bool = false, level: Int = 0) {
        self.user = user
        self.channel = channel
        self.isPinned = isPinned
        self.level = level
    }
}

/// Somebody may not do something, for a time or for good.
public struct ChatRestriction: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
        /// Scope: empty. The user may not connect.
        case banned
        /// Scope: a user. `user` is blocked by the scope.
        case blocked
        /// Scope: a group or open channel as in ``ChatSetting/channel``, or a kind's word for all channels of the kind.
        case muted
        /// May speak although all are muted. Scope as above.
        case allowed
        /// Scope: an open channel. The user may not enter.
        case barred
    }

    public var kind: Kind
    public var scope: Identifier
    public var user: Identifier
    /// Nil for no end.
    public var until: Int64?

    public init(kind: Kind, scope: Identifier = "", user: Identifier, until: Int64? = nil) {
        self.kind = kind
        self.scope = scope
        self.user = user
        self.until = until
    }

    public var key: ChatDocumentKey { .restriction(kind, scope: scope, user: user) }
}

/// Somebody watches whether a user is online.
public struct ChatSubscription: Codable, Hashable, Sendable {
    public var watcher: Identifier
    public var user: Identifier
    public var subscribed: Int64
    public var expires: Int64

    public init(watcher: Identifier, user: Identifier, subscribed: Int64, expires: Int64) {
        self.watcher = watcher
        self.user = user
        self.subscribed = subscribed
        self.expires = expires
    }
}
