// A nil `uuid` means the user of the client. A channel to set is a dictionary of `channel` and, if wanted, `custom`; a user to set is one
// of `uuid` and `custom`.

/// Describes memberships of a user to set.
public final class PNSetMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// What comes along.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?
    let channels: [[AnyHashable: Any]]

    public init(uuid: String?, channels: [[AnyHashable: Any]]) {
        self.uuid = uuid
        self.channels = channels
        super.init()
    }
}

/// Describes memberships of a user to remove.
public final class PNRemoveMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// What comes along.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?
    let channels: [String]

    public init(uuid: String?, channels: [String]) {
        self.uuid = uuid
        self.channels = channels
        super.init()
    }
}

/// Describes memberships of a user to set and to remove.
public final class PNManageMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// What to set.
    public var setChannels: [[AnyHashable: Any]]?
    /// What to remove.
    public var removeChannels: [String]?
    /// What comes along.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?

    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes whose memberships to fetch.
public final class PNFetchMembershipsRequest: PNObjectsPaginatedRequest {
    /// What comes along.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?

    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes members of a channel to set.
public final class PNSetChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// What comes along.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String
    let uuids: [[AnyHashable: Any]]

    public init(channel: String, uuids: [[AnyHashable: Any]]) {
        self.channel = channel
        self.uuids = uuids
        super.init()
    }
}

/// Describes members of a channel to remove.
public final class PNRemoveChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// What comes along.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String
    let uuids: [String]

    public init(channel: String, uuids: [String]) {
        self.channel = channel
        self.uuids = uuids
        super.init()
    }
}

/// Describes members of a channel to set and to remove.
public final class PNManageChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// What to set.
    public var setMembers: [[AnyHashable: Any]]?
    /// What to remove.
    public var removeMembers: [String]?
    /// What comes along.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String

    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a channel whose members to fetch.
public final class PNFetchChannelMembersRequest: PNObjectsPaginatedRequest {
    /// What comes along.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String

    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}
