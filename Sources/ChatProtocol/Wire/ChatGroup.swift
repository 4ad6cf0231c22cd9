/// A group (chat-protocol.md, section 7).
public struct ChatGroup: Hashable, Sendable {
    public var id: String
    public var name: String
    public var owner: String
    public var avatar: String?
    public var introduction: String?
    public var notice: String?
    public var memberCount: Int
    /// The time when the group was created, in milliseconds since 1970.
    public var created: Int64
    /// The vendor's number for who may join: 0 and 1 everybody, 2 invited users, 3 nobody. (The vendor's 0 needs the owner's approval.)
    public var joinPermission: Int
    public var invitePermission: Int
    public var extra: [String: String]
    public var isMuted: Bool

    public init(
        id: String, name: String, owner: String, avatar: String? = nil, introduction: String? = nil, notice: String? = nil,
        memberCount: Int = 0, created: Int64 = 0, joinPermission: Int = 0, invitePermission: Int = 0,
        extra: [String: String] = [:], isMuted: Bool = false
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.avatar = avatar
        self.introduction = introduction
        self.notice = notice
        self.memberCount = memberCount
        self.created = created
        self.joinPermission = joinPermission
        self.invitePermission = invitePermission
        self.extra = extra
        self.isMuted = isMuted
    }
}

public enum ChatGroupRole: String, CaseIterable, Hashable, Sendable {
    case owner, admin, member
}

/// A member of a group.
public struct ChatGroupMember: Hashable, Sendable {
    public var user: String
    public var role: ChatGroupRole
    public var nickname: String?
    public var extra: String?
    /// The time when the user joined, in milliseconds since 1970.
    public var joined: Int64

    public init(user: String, role: ChatGroupRole, nickname: String? = nil, extra: String? = nil, joined: Int64 = 0) {
        self.user = user
        self.role = role
        self.nickname = nickname
        self.extra = extra
        self.joined = joined
    }
}

/// An event about an operation on a group and its members.
public struct ChatGroupOperation: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case create, join, kick, quit, dismiss, addAdmin, removeAdmin, transfer
    }

    public var kind: Kind
    public var group: ChatGroup
    public var `operator`: String
    /// The affected members.
    public var members: [ChatGroupMember]
    public var time: Int64

    public init(kind: Kind, group: ChatGroup, operator: String, members: [ChatGroupMember], time: Int64) {
        self.kind = kind
        self.group = group
        self.operator = `operator`
        self.members = members
        self.time = time
    }
}
