import Identifiers

/// The paths of the server API after `/v4/`.
enum ChatAPIRoute: String, CaseIterable, Hashable, Sendable {
    // Tokens and users.
    case issueToken = "auth/access-token/issue"
    case expireTokens = "auth/access-token/expire"
    case updateUser = "user/update"
    case user = "user/get"
    case connectionStatus = "user/connection-status/get"
    case endSessions = "user/session/end"
    case ban = "user/ban"
    case unban = "user/unban"
    case banned = "user/ban/list"
    case deactivate = "user/deactivate"
    case reactivate = "user/reactivate"
    case deactivated = "user/deactivate/list"
    case block = "user/blocklist/add"
    case unblock = "user/blocklist/remove"
    case blocked = "user/blocklist/get"
    case setMuted = "channel-type/mute/set"
    case muted = "channel-type/mute/list"

    // Messages.
    case sendDirect = "direct-channel/message/send"
    case sendGroup = "group-channel/message/send"
    case sendOpen = "open-channel/message/send"
    case broadcastOpen = "open-channel/message/broadcast"
    case sendSystem = "system-channel/message/send"
    case recall = "message/delete"
    case editDirect = "direct-channel/message/update"
    case editGroup = "group-channel/message/update"
    case directHistory = "direct-channel/history-message/list"
    case groupHistory = "group-channel/history-message/list"
    case openHistory = "open-channel/history-message/list"
    case deleteHistory = "channel/message/history/delete"
    case setMetadata = "channel-type/message/metadata/set"
    case deleteMetadata = "channel-type/message/metadata/delete"
    case metadata = "channel-type/message/metadata/list"

    // Calls about users' settings of channels.
    case setPinned = "channel/pin/set"
    case setPush = "channel/push/set"
    case push = "channel/push/get"
    case setTypePush = "channel-type/push/set"
    case typePush = "channel-type/push/get"

    // Groups.
    case createGroup = "group-channel/create"
    case dismissGroup = "group-channel/dismiss"
    case joinGroup = "group-channel/join"
    case leaveGroup = "group-channel/leave"
    case groups = "group-channel/list"
    case joinedGroups = "group-channel/joined/list"
    case groupProfiles = "group-channel/profile/list"
    case updateGroup = "group-channel/profile/update"
    case members = "group-channel/member/list"
    case someMembers = "group-channel/member/batch/get"
    case setMember = "group-channel/member/set"
    case kickFromAllGroups = "group-channel/member/kickout-all"
    case addAdmins = "group-channel/admin/add"
    case removeAdmins = "group-channel/admin/remove"
    case transferGroup = "group-channel/transfer/owner"
    case muteInGroup = "group-channel/user/mute-list/add"
    case unmuteInGroup = "group-channel/user/mute-list/remove"
    case mutedInGroup = "group-channel/user/mute-list/get"
    case allowInGroup = "group-channel/allowed-sender-list/add"
    case disallowInGroup = "group-channel/allowed-sender-list/remove"
    case allowedInGroup = "group-channel/allowed-sender-list/get"
    case freezeGroup = "group-channel/freeze-list/add"
    case unfreezeGroup = "group-channel/freeze-list/remove"
    case frozenGroups = "group-channel/freeze-list/get"

    // Open channels.
    case createOpen = "open-channel/create"
    case destroyOpen = "open-channel/destroy"
    case open = "open-channel/get"
    case openChannels = "open-channel/list"
    case setDestroyType = "open-channel/destroy-type/set"
    case participants = "open-channel/participant/list"
    case areParticipants = "open-channel/participant/exist"
    case muteInOpen = "open-channel/participant/mute-list/add"
    case unmuteInOpen = "open-channel/participant/mute-list/remove"
    case mutedInOpen = "open-channel/participant/mute-list/get"
    case barFromOpen = "open-channel/participant/ban-list/add"
    case unbarFromOpen = "open-channel/participant/ban-list/remove"
    case barredFromOpen = "open-channel/participant/ban-list/get"
    case allowInOpen = "open-channel/participant/allowed-sender-list/add"
    case disallowInOpen = "open-channel/participant/allowed-sender-list/remove"
    case allowedInOpen = "open-channel/participant/allowed-sender-list/get"
    case freezeOpen = "open-channel/freeze-list/add"
    case unfreezeOpen = "open-channel/freeze-list/remove"
    case frozenOpen = "open-channel/freeze-list/get"
    case isOpenFrozen = "open-channel/freeze/check"
    case muteInAllOpen = "open-channel/global-mute-list/add"
    case unmuteInAllOpen = "open-channel/global-mute-list/remove"
    case mutedInAllOpen = "open-channel/global-mute-list/get"
    case setOpenMetadata = "open-channel/metadata/batch/set"
    case openMetadata = "open-channel/metadata/batch/get"
    case removeOpenMetadata = "open-channel/metadata/batch/remove"

    /// Finds the call of a path; nil if the server API has no such path.
    ///
    /// - Parameter segments: the segments of the whole path.
    init?(_ segments: [String]) {
        // A segment may contain an encoded slash, which is not a separator.
        guard Self.owns(segments), !segments.contains(where: { $0.hasByte(UInt8(ascii: "/")) }) else { return nil }
        self.init(rawValue: segments.dropFirst().joined(separator: "/"))
    }

    /// Whether a path begins with `/v4`, and so belongs to the server API.
    static func owns(_ segments: [String]) -> Bool { segments.first == "v4" }

    /// Whether the path of a target that could not be parsed belongs to the server API.
    static func owns(target: String) -> Bool { target == "/v4" || target.hasBytePrefix("/v4/") }

    /// Whether a call counts against its quota once for each receiver, instead of once.
    var countsReceivers: Bool {
        switch self {
        case .sendDirect, .sendGroup, .setMetadata, .deleteMetadata: true
        default: false
        }
    }

    /// Whether the call only reads.
    var isReading: Bool {
        switch self {
        case .user, .connectionStatus, .banned, .deactivated, .blocked, .muted, .directHistory, .groupHistory, .openHistory,
            .metadata, .push,
            .typePush, .groups, .joinedGroups, .groupProfiles, .members, .someMembers, .mutedInGroup, .allowedInGroup,
            .frozenGroups, .open,
            .openChannels, .participants, .areParticipants, .mutedInOpen, .barredFromOpen, .allowedInOpen, .frozenOpen,
            .isOpenFrozen,
            .mutedInAllOpen, .openMetadata:
            true
        default: false
        }
    }
}
