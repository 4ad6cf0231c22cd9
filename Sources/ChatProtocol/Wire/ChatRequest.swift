/// The requests that a client sends (chat-protocol.md, sections 5 to 9). Both client and server use this type.
public enum ChatRequest: Hashable, Sendable {
    indirect case send(ChatMessageDraft)
    case recall(ChatMessageTarget)
    indirect case edit(ChatMessageTarget, content: [UInt8])
    indirect case changeMetadata(ChatMessageTarget, set: [String: String], delete: [String])
    indirect case sendReceipt(ChatConversationKind, to: String, ids: [ChatMessageID])
    indirect case receipts(ChatConversationKind, to: String, ids: [ChatMessageID])
    case receiptUsers(ChatMessageTarget)
    case read(ChatChannel, time: Int64)
    case delete(ChatChannel, ids: [ChatMessageID], before: Int64?)
    indirect case history(ChatHistoryRequest)

    indirect case set(ChatChannelSettings)
    case settings

    indirect case createGroup(ChatGroup, users: [String])
    case joinGroup(String)
    case quitGroup(String)
    case dismissGroup(String)
    case inviteToGroup(String, users: [String])
    case kickFromGroup(String, users: [String])
    case transferGroup(String, to: String, leave: Bool)
    case changeAdmins(String, add: [String], remove: [String])
    indirect case updateGroup(String, ChatGroupUpdate)
    case setGroupMember(String, user: String, nickname: String?, extra: String?)
    case groupInfo([String])
    indirect case groupMembers(ChatMembersRequest)
    case myGroups(role: ChatGroupRole?, after: String?, limit: Int)

    indirect case enter(ChatEntryRequest)
    case exit(String)
    case openInfo(String, limit: Int)
    case openMetadata(String)
    indirect case setOpenMetadata(String, [String: String], overwrite: Bool, deleteWhenLeft: Bool)
    case deleteOpenMetadata(String, keys: [String], force: Bool)

    case users([String])
    case updateUser(name: String?, avatar: String?, extra: [String: String]?)
    case subscribeUsers([String], expiry: Int)
    case unsubscribeUsers([String])
    case subscriptions
    case block([String])
    case unblock([String])
    case blocklist
}

/// Identifies one message by its conversation and its id.
public struct ChatMessageTarget: Hashable, Sendable {
    public var conversation: ChatConversationKind
    /// The receiver: the other user, the group or the open channel.
    public var to: String
    public var id: ChatMessageID

    public init(_ conversation: ChatConversationKind, to: String, id: ChatMessageID) {
        self.conversation = conversation
        self.to = to
        self.id = id
    }
}

/// A request for a page of history (chat-protocol.md, 5.3).
public struct ChatHistoryRequest: Hashable, Sendable {
    /// The position at which a page starts. The message at the position is not included.
    public enum Place: Hashable, Sendable {
        /// The page begins with the latest message, in descending order.
        case latest
        case before(ChatMessageID)
        case beforeTime(Int64)
        case after(ChatMessageID)
        case afterTime(Int64)
    }

    public var channel: ChatChannel
    public var place: Place
    /// The largest number of messages in the page, 1 to 100.
    public var limit: Int

    public init(_ channel: ChatChannel, place: Place = .latest, limit: Int = 20) {
        self.channel = channel
        self.place = place
        self.limit = limit
    }
}

/// Changes of a group's properties. Properties with the value nil stay unchanged.
public struct ChatGroupUpdate: Hashable, Sendable {
    public var name: String?
    public var avatar: String?
    public var introduction: String?
    public var notice: String?
    public var joinPermission: Int?
    public var invitePermission: Int?
    public var extra: [String: String]?
    /// Whether only the owner, the admins and the users on the group's allowlist may send messages.
    public var isMuted: Bool?

    public init() {}
}

/// A request for members of a group: either the listed users, or a page of all members.
public struct ChatMembersRequest: Hashable, Sendable {
    public var group: String
    /// The users to whom the request is limited; empty for all members.
    public var users: [String]
    public var role: ChatGroupRole?
    /// The last user id of the previous page; nil for the first page.
    public var after: String?
    public var limit: Int

    public init(_ group: String, users: [String] = [], role: ChatGroupRole? = nil, after: String? = nil, limit: Int = 50) {
        self.group = group
        self.users = users
        self.role = role
        self.after = after
        self.limit = limit
    }
}

/// A request to enter an open channel.
public struct ChatEntryRequest: Hashable, Sendable {
    public var channel: String
    /// The number of earlier messages to return, 0 to 50.
    public var count: Int
    /// The id of the last received message, for a client that returns to the channel.
    public var after: ChatMessageID?
    public var extra: String?

    public init(_ channel: String, count: Int = 20, after: ChatMessageID? = nil, extra: String? = nil) {
        self.channel = channel
        self.count = count
        self.after = after
        self.extra = extra
    }
}
