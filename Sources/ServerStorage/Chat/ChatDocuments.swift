import Identifiers

/// A record of chat's users, groups, open channels and their settings. The store writes the whole document at every change, so documents
/// have to be small. After a restart, chat's state is restored from these documents.
public enum ChatDocument: Codable, Hashable, Sendable {
    /// A user.
    case user(User)
    /// An access token.
    case token(Token)
    /// A group.
    case group(Group)
    /// A member of a group.
    case member(Member)
    /// An open channel.
    case openChannel(OpenChannel)
    /// An entry of an open channel's metadata.
    case openEntry(OpenEntry)
    /// A user's settings for a channel.
    case setting(Setting)
    /// A restriction of a user, such as a ban.
    case restriction(Restriction)
    /// A subscription to a user's online status.
    case subscription(Subscription)

    /// The document's key. A store replaces the document with the same key.
    public var key: Key {
        switch self {
        case .user(let user): Key(.user, user.id)
        case .token(let token): Key(.token, token.token)
        case .group(let group): Key(.group, group.id)
        case .member(let member): .member(group: member.group, user: member.user)
        case .openChannel(let channel): Key(.openChannel, channel.id)
        case .openEntry(let entry): .openEntry(channel: entry.channel, key: entry.key)
        case .setting(let setting): .setting(user: setting.user, channel: setting.channel)
        case .restriction(let restriction): restriction.key
        case .subscription(let subscription): .subscription(watcher: subscription.watcher, user: subscription.user)
        }
    }
}

extension ChatDocument {
    /// The key of a document. A new document with the same key replaces the old one.
    public struct Key: Codable, Hashable, Sendable {
        /// The kinds of documents. The raw values are stored.
        public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
            /// One kind for each case of ``ChatDocument``.
            case user, token, group, member, openChannel, openEntry, setting, restriction, subscription
        }

        /// The kind of the document.
        public var kind: Kind
        /// The document's name, which is unique among the documents of its kind.
        public var name: Identifier

        /// Makes a key from its parts.
        public init(_ kind: Kind, _ name: Identifier) {
            self.kind = kind
            self.name = name
        }

        /// Joins the parts with U+001F, which no id may contain.
        private static func joined(_ parts: Identifier...) -> Identifier {
            Identifier(parts.map(\.text).joined(separator: "\u{1F}"))
        }

        /// The key of the document of one member of a group.
        public static func member(group: Identifier, user: Identifier) -> Self { Self(.member, joined(group, user)) }
        /// The key of the document of one entry of an open channel's metadata.
        public static func openEntry(channel: Identifier, key: Identifier) -> Self { Self(.openEntry, joined(channel, key)) }
        /// The key of the document with a user's settings for a channel.
        public static func setting(user: Identifier, channel: Identifier) -> Self { Self(.setting, joined(user, channel)) }
        /// The key of the document of a user's restriction.
        public static func restriction(_ kind: Restriction.Kind, scope: Identifier, user: Identifier) -> Self {
            Self(.restriction, joined(Identifier(kind.rawValue), scope, user))
        }
        /// The key of the document of a subscription to a user's online status.
        public static func subscription(watcher: Identifier, user: Identifier) -> Self {
            Self(.subscription, joined(watcher, user))
        }
    }
}

extension ChatDocument {
    /// A registered user of an application. All times in this file's documents are in milliseconds since 1970.
    public struct User: Codable, Hashable, Sendable {
        /// The user's id.
        public var id: Identifier
        /// The user's name.
        public var name: String
        /// The address of the user's picture.
        public var avatar: String
        /// Additional values whose meaning the application defines.
        public var extra: [String: String]
        /// When the user was registered, in milliseconds since 1970.
        public var created: Int64
        /// Whether the account was deactivated.
        public var isDeactivated: Bool
        /// Tokens that were issued before this time (milliseconds since 1970) are invalid; nil when no token is invalid for this reason.
        public var tokensExpireBefore: Int64?

        /// Makes a user; by default active, without a name and additional values.
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
}

extension ChatDocument {
    /// An access token of a user. Only its SHA-256 in hexadecimal is stored, so that a stolen file cannot be used to open a session.
    public struct Token: Codable, Hashable, Sendable {
        /// The SHA-256 of the token, in hexadecimal.
        public var token: Identifier
        /// The user's id.
        public var user: Identifier
        /// When the token was issued, in milliseconds since 1970.
        public var issued: Int64
        /// When the token expires, in milliseconds since 1970; nil if it never expires.
        public var expires: Int64?

        /// Makes a token's document; by default without an expiry time.
        public init(token: Identifier, user: Identifier, issued: Int64, expires: Int64? = nil) {
            self.token = token
            self.user = user
            self.issued = issued
            self.expires = expires
        }
    }
}

extension ChatDocument {
    /// A group of chat users with its settings; its members are documents of their own.
    public struct Group: Codable, Hashable, Sendable {
        /// The group's id.
        public var id: Identifier
        /// The group's name.
        public var name: String
        /// The user id of the group's owner.
        public var owner: Identifier
        /// The address of the group's picture.
        public var avatar: String?
        /// A text that describes the group.
        public var introduction: String?
        /// A notice of the group to its members.
        public var notice: String?
        /// Who may join the group: 0 and 1 everybody, 2 only invited users, 3 nobody.
        public var joinPermission: Int
        /// Who may invite users to the group: 0 the owner, 1 also admins, 2 every member.
        public var invitePermission: Int
        /// Additional values whose meaning the application defines.
        public var extra: [String: String]
        /// When the group was created, in milliseconds since 1970.
        public var created: Int64
        /// Whether the whole group is muted: only its owner, its admins and users on the allowlist may send messages.
        public var isMuted: Bool
        /// The user whose session created the group. The group counts against this user's share of the application's groups. Nil if the
        /// application's server created the group.
        public var creator: Identifier?

        /// Makes a group; by default without a creator, and not muted.
        public init(
            id: Identifier, name: String, owner: Identifier, avatar: String? = nil, introduction: String? = nil,
            notice: String? = nil,
            joinPermission: Int = 0, invitePermission: Int = 0, extra: [String: String] = [:], created: Int64 = 0,
            isMuted: Bool = false, creator: Identifier? = nil
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
            self.creator = creator
        }
    }
}

extension ChatDocument {
    /// A user's membership of a group.
    public struct Member: Codable, Hashable, Sendable {
        /// The roles that a member of a group can have.
        public enum Role: String, Codable, Hashable, Sendable {
            /// The owner, an admin, or an ordinary member.
            case owner, admin, member
        }

        /// The group's id.
        public var group: Identifier
        /// The member's user id.
        public var user: Identifier
        /// The member's role.
        public var role: Role
        /// The member's name within this group; nil for none.
        public var nickname: String?
        /// An additional text whose meaning the application defines.
        public var extra: String?
        /// When the member joined the group, in milliseconds since 1970.
        public var joined: Int64

        /// Makes a membership; by default of an ordinary member.
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
}

extension ChatDocument {
    /// An open channel.
    public struct OpenChannel: Codable, Hashable, Sendable {
        /// The channel's id.
        public var id: Identifier
        /// When the open channel was created, in milliseconds since 1970.
        public var created: Int64
        /// Whether the whole channel is muted: only users on the allowlist may send messages.
        public var isMuted: Bool
        /// The time in milliseconds without a message after which the channel is removed; nil if it is never removed.
        public var lifetime: Int64?
        /// The user who created the channel by entering it. The channel counts against this user's share of the application's open
        /// channels. Nil if the application's server created the channel.
        public var creator: Identifier?

        /// Makes an open channel; by default not muted, and without a lifetime or a creator.
        public init(
            id: Identifier, created: Int64, isMuted: Bool = false, lifetime: Int64? = nil, creator: Identifier? = nil
        ) {
            self.id = id
            self.created = created
            self.isMuted = isMuted
            self.lifetime = lifetime
            self.creator = creator
        }
    }
}

extension ChatDocument {
    /// One entry of an open channel's metadata.
    public struct OpenEntry: Codable, Hashable, Sendable {
        /// The channel's id.
        public var channel: Identifier
        /// The key of the entry within the channel's metadata.
        public var key: Identifier
        /// The value of the entry.
        public var value: String
        /// The user who has set the entry.
        public var owner: Identifier
        /// Whether the entry is deleted when its owner leaves the channel.
        public var isDeletedWhenLeft: Bool

        /// Makes an entry; by default it stays when its owner leaves the channel.
        public init(channel: Identifier, key: Identifier, value: String, owner: Identifier, isDeletedWhenLeft: Bool = false) {
            self.channel = channel
            self.key = key
            self.value = value
            self.owner = owner
            self.isDeletedWhenLeft = isDeletedWhenLeft
        }
    }
}

extension ChatDocument {
    /// A user's settings for a channel. `channel` is the name of a channel type, alone or followed by `:` and a channel's id.
    public struct Setting: Codable, Hashable, Sendable {
        /// The user's id.
        public var user: Identifier
        /// The channel.
        public var channel: Identifier
        /// Whether the user has pinned the channel.
        public var isPinned: Bool
        /// The do-not-disturb level.
        public var level: Int

        /// Makes settings; by default not pinned, and with do-not-disturb level 0.
        public init(user: Identifier, channel: Identifier, isPinned: Bool = false, level: Int = 0) {
            self.user = user
            self.channel = channel
            self.isPinned = isPinned
            self.level = level
        }
    }
}

extension ChatDocument {
    /// A restriction of a user, temporary or permanent.
    public struct Restriction: Codable, Hashable, Sendable {
        /// The kinds of restrictions of a user.
        public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
            /// The user may not connect. The scope is empty.
            case banned
            /// Another user has blocked the user. The scope is the other user's id.
            case blocked
            /// The user may not send messages. The scope is a group or open channel in the format of ``Setting/channel``, or the name of a
            /// channel type for all its channels.
            case muted
            /// The user may send messages although the whole channel is muted. The scope has the same form as the scope of ``muted``.
            case allowed
            /// The user may not enter an open channel. The scope is that channel.
            case barred
        }

        /// The kind of restriction.
        public var kind: Kind
        /// Where the restriction applies, depending on its kind: a user, a group or an open channel; empty for everywhere.
        public var scope: Identifier
        /// The restricted user.
        public var user: Identifier
        /// The end of the restriction in milliseconds since 1970; nil for a permanent one.
        public var until: Int64?

        /// Makes a restriction; by default a permanent one with an empty scope.
        public init(kind: Kind, scope: Identifier = "", user: Identifier, until: Int64? = nil) {
            self.kind = kind
            self.scope = scope
            self.user = user
            self.until = until
        }

        /// The document's key. A store replaces the document with the same key.
        public var key: Key { .restriction(kind, scope: scope, user: user) }
    }
}

extension ChatDocument {
    /// A subscription of one user to another user's online status.
    public struct Subscription: Codable, Hashable, Sendable {
        /// The id of the user who subscribed.
        public var watcher: Identifier
        /// The id of the user whose online status is subscribed to.
        public var user: Identifier
        /// When the subscription began, in milliseconds since 1970.
        public var subscribed: Int64
        /// When the subscription ends, in milliseconds since 1970.
        public var expires: Int64

        /// Makes a subscription of `watcher` to the online status of `user`.
        public init(watcher: Identifier, user: Identifier, subscribed: Int64, expires: Int64) {
            self.watcher = watcher
            self.user = user
            self.subscribed = subscribed
            self.expires = expires
        }
    }
}
