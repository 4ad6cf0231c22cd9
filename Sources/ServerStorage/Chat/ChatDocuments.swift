import Identifiers

/// One record of the chat directory, small enough to be written completely whenever it changes. Chat is restored from these documents.
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
    /// A user's settings of a channel.
    case setting(Setting)
    /// A restriction of a user.
    case restriction(Restriction)
    /// A subscription to a user's online status.
    case subscription(Subscription)

    /// The key by which a store replaces the document.
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
    /// The key of a document. Another document with the same key replaces it.
    public struct Key: Codable, Hashable, Sendable {
        /// The kinds of documents.
        public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
            /// The kinds, as ``ChatDocument`` has them.
            case user, token, group, member, openChannel, openEntry, setting, restriction, subscription
        }

        /// The kind of the document.
        public var kind: Kind
        /// The name among documents of its kind.
        public var name: Identifier

        /// Makes a value with these properties.
        public init(_ kind: Kind, _ name: Identifier) {
            self.kind = kind
            self.name = name
        }

        /// Joins the parts with a character that no id may contain.
        private static func joined(_ parts: Identifier...) -> Identifier {
            Identifier(parts.map(\.text).joined(separator: "\u{1F}"))
        }

        /// The key of a member of a group.
        public static func member(group: Identifier, user: Identifier) -> Self { Self(.member, joined(group, user)) }
        /// The key of an entry of an open channel's metadata.
        public static func openEntry(channel: Identifier, key: Identifier) -> Self { Self(.openEntry, joined(channel, key)) }
        /// The key of a user's settings of a channel.
        public static func setting(user: Identifier, channel: Identifier) -> Self { Self(.setting, joined(user, channel)) }
        /// The key of a restriction.
        public static func restriction(_ kind: Restriction.Kind, scope: Identifier, user: Identifier) -> Self {
            Self(.restriction, joined(Identifier(kind.rawValue), scope, user))
        }
        /// The key of a subscription.
        public static func subscription(watcher: Identifier, user: Identifier) -> Self {
            Self(.subscription, joined(watcher, user))
        }
    }
}

extension ChatDocument {
    /// A user of an application. All times in these documents are in ms since 1970.
    public struct User: Codable, Hashable, Sendable {
        /// The user's id.
        public var id: Identifier
        /// The user's name.
        public var name: String
        /// The address of the user's picture.
        public var avatar: String
        /// Additional values that the application defines.
        public var extra: [String: String]
        /// When the user was registered, milliseconds since 1970.
        public var created: Int64
        /// Whether the account was deactivated.
        public var isDeactivated: Bool
        /// Tokens that were issued before this time are invalid.
        public var tokensExpireBefore: Int64?

        /// Makes a value with these properties.
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
    /// An access token. Only its SHA-256 in hex is stored, so that a stolen file cannot open a session.
    public struct Token: Codable, Hashable, Sendable {
        /// The hash of the token.
        public var token: Identifier
        /// The user's id.
        public var user: Identifier
        /// When it was issued, milliseconds since 1970.
        public var issued: Int64
        /// When it expires, milliseconds since 1970; nil for never.
        public var expires: Int64?

        /// Makes a value with these properties.
        public init(token: Identifier, user: Identifier, issued: Int64, expires: Int64? = nil) {
            self.token = token
            self.user = user
            self.issued = issued
            self.expires = expires
        }
    }
}

extension ChatDocument {
    /// A group of chat.
    public struct Group: Codable, Hashable, Sendable {
        /// The group's id.
        public var id: Identifier
        /// The group's name.
        public var name: String
        /// The owner's user id.
        public var owner: Identifier
        /// The address of the group's picture.
        public var avatar: String?
        /// The description of the group.
        public var introduction: String?
        /// A notice for the members.
        public var notice: String?
        /// Who may join: 0 and 1 everybody, 2 only invited users, 3 nobody.
        public var joinPermission: Int
        /// Who may invite others: 0 the owner, 1 managers too, 2 every member.
        public var invitePermission: Int
        /// Additional values that the application defines.
        public var extra: [String: String]
        /// When it was created, milliseconds since 1970.
        public var created: Int64
        /// Whether only the owner and users on the allowlist may send messages.
        public var isMuted: Bool
        /// The user whose session created the group, which counts against the user's share of the application's groups; nil for the
        /// application's server.
        public var creator: Identifier?

        /// Makes a value with these properties.
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
    /// A member of a group.
    public struct Member: Codable, Hashable, Sendable {
        /// The roles of members.
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
        /// The member's name in this group.
        public var nickname: String?
        /// An additional text that the application defines.
        public var extra: String?
        /// When the member joined, milliseconds since 1970.
        public var joined: Int64

        /// Makes a value with these properties.
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
        /// When it was created, milliseconds since 1970.
        public var created: Int64
        /// Whether only users on the allowlist may send messages.
        public var isMuted: Bool
        /// The time in ms without a message after which the channel is removed; nil for never.
        public var lifetime: Int64?
        /// The user who created the channel by entering it, which counts against the user's share of the application's open channels;
        /// nil for the application's server.
        public var creator: Identifier?

        /// Makes a value with these properties.
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
    /// An entry of an open channel's metadata.
    public struct OpenEntry: Codable, Hashable, Sendable {
        /// The channel's id.
        public var channel: Identifier
        /// The key of the entry.
        public var key: Identifier
        /// The value of the entry.
        public var value: String
        /// The user who set the entry.
        public var owner: Identifier
        /// Whether the entry is deleted when its owner leaves the channel.
        public var isDeletedWhenLeft: Bool

        /// Makes a value with these properties.
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
    /// A user's settings for a channel. `channel` is the name of the kind, optionally followed by `:` and the id.
    public struct Setting: Codable, Hashable, Sendable {
        /// The user's id.
        public var user: Identifier
        /// The channel.
        public var channel: Identifier
        /// Whether the channel is pinned.
        public var isPinned: Bool
        /// The do-not-disturb level.
        public var level: Int

        /// Makes a value with these properties.
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
        /// The kinds of restrictions.
        public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
            /// Scope: empty. The user may not connect.
            case banned
            /// Scope: a user, who blocks `user`.
            case blocked
            /// Scope: a group or open channel in the format of ``Setting/channel``, or the name of a kind for all its channels.
            case muted
            /// The user may send messages although all users are muted. Scope as for `muted`.
            case allowed
            /// Scope: an open channel. The user may not enter.
            case barred
        }

        /// The kind of restriction.
        public var kind: Kind
        /// The group or open channel in which it applies; empty for all.
        public var scope: Identifier
        /// The restricted user.
        public var user: Identifier
        /// The end of the restriction; nil for none.
        public var until: Int64?

        /// Makes a value with these properties.
        public init(kind: Kind, scope: Identifier = "", user: Identifier, until: Int64? = nil) {
            self.kind = kind
            self.scope = scope
            self.user = user
            self.until = until
        }

        /// The key by which a store replaces the document.
        public var key: Key { .restriction(kind, scope: scope, user: user) }
    }
}

extension ChatDocument {
    /// A subscription of one user to another user's online status.
    public struct Subscription: Codable, Hashable, Sendable {
        /// The user who subscribed.
        public var watcher: Identifier
        /// The user whose online status is subscribed.
        public var user: Identifier
        /// When the subscription began, in milliseconds since 1970.
        public var subscribed: Int64
        /// When the subscription ends, in milliseconds since 1970.
        public var expires: Int64

        /// Makes a value with these properties.
        public init(watcher: Identifier, user: Identifier, subscribed: Int64, expires: Int64) {
            self.watcher = watcher
            self.user = user
            self.subscribed = subscribed
            self.expires = expires
        }
    }
}
