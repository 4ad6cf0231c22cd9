// A nil `uuid` means the user of the client. A channel to set is a dictionary of `channel` and, optionally, `custom`; a user to set is
// a dictionary of `uuid` and, optionally, `custom`.

/// Describes memberships of a user to set.
public final class PNSetMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// The fields that the answer includes.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?
    let channels: [[AnyHashable: Any]]

    /// Sets memberships of a user.
    ///
    /// - Parameters:
    ///   - uuid: the user's id; nil for the client's own.
    ///   - channels: dictionaries with `channel` and, optionally, `custom`.
    public init(uuid: String?, channels: [[AnyHashable: Any]]) {
        self.uuid = uuid
        self.channels = channels
        super.init()
    }
}

/// Describes memberships of a user to remove.
public final class PNRemoveMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// The fields that the answer includes.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?
    let channels: [String]

    /// Removes memberships of a user.
    ///
    /// - Parameters:
    ///   - uuid: the user's id; nil for the client's own.
    ///   - channels: the channels' names.
    public init(uuid: String?, channels: [String]) {
        self.uuid = uuid
        self.channels = channels
        super.init()
    }
}

/// Describes memberships of a user to set and to remove.
public final class PNManageMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// The values to set.
    public var setChannels: [[AnyHashable: Any]]?
    /// The names to remove.
    public var removeChannels: [String]?
    /// The fields that the answer includes.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?

    /// Changes memberships of a user; nil for the client's own.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes whose memberships to fetch.
public final class PNFetchMembershipsRequest: PNObjectsPaginatedRequest {
    /// The fields that the answer includes.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?

    /// Fetches memberships of a user; nil for the client's own.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes members of a channel to set.
public final class PNSetChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// The fields that the answer includes.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String
    let uuids: [[AnyHashable: Any]]

    /// Sets members of a channel; `uuids` are dictionaries with `uuid` and, optionally, `custom`.
    public init(channel: String, uuids: [[AnyHashable: Any]]) {
        self.channel = channel
        self.uuids = uuids
        super.init()
    }
}

/// Describes members of a channel to remove.
public final class PNRemoveChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// The fields that the answer includes.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String
    let uuids: [String]

    /// Removes members of a channel.
    public init(channel: String, uuids: [String]) {
        self.channel = channel
        self.uuids = uuids
        super.init()
    }
}

/// Describes members of a channel to set and to remove.
public final class PNManageChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// The values to set.
    public var setMembers: [[AnyHashable: Any]]?
    /// The names to remove.
    public var removeMembers: [String]?
    /// The fields that the answer includes.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String

    /// Changes members of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a channel whose members to fetch.
public final class PNFetchChannelMembersRequest: PNObjectsPaginatedRequest {
    /// The fields that the answer includes.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String

    /// Fetches the members of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}
