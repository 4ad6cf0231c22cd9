// A nil `uuid` stands for the client's own user. A channel to set is a dictionary of `channel` and, optionally, `custom`. A user to set is
// a dictionary of `uuid` and, optionally, `custom`.

/// A request that makes a user a member of channels.
public final class PNSetMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?
    let channels: [[AnyHashable: Any]]

    /// A request that makes a user a member of channels.
    ///
    /// - Parameters:
    ///   - uuid: the user's id; nil for the client's own user.
    ///   - channels: dictionaries with `channel` and, optionally, `custom`.
    public init(uuid: String?, channels: [[AnyHashable: Any]]) {
        self.uuid = uuid
        self.channels = channels
        super.init()
    }
}

/// A request that ends memberships of a user in channels.
public final class PNRemoveMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?
    let channels: [String]

    /// A request that ends memberships of a user in channels.
    ///
    /// - Parameters:
    ///   - uuid: the user's id; nil for the client's own user.
    ///   - channels: the channels' names.
    public init(uuid: String?, channels: [String]) {
        self.uuid = uuid
        self.channels = channels
        super.init()
    }
}

/// A request that makes a user a member of channels and ends memberships in other channels.
public final class PNManageMembershipsRequest: PNBaseObjectsMembershipRequest {
    /// The channels that the user becomes a member of: dictionaries with `channel` and, optionally, `custom`.
    public var setChannels: [[AnyHashable: Any]]?
    /// The names of the channels in which the user's membership ends.
    public var removeChannels: [String]?
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?

    /// A request that changes memberships of the user with the id `uuid`; nil stands for the client's own user.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// A request for the memberships of a user.
public final class PNFetchMembershipsRequest: PNObjectsPaginatedRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNMembershipFields = .membershipsTotalCountField
    let uuid: String?

    /// A request for the memberships of the user with the id `uuid`; nil stands for the client's own user.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// A request that makes users members of a channel.
public final class PNSetChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String
    let uuids: [[AnyHashable: Any]]

    /// A request that makes users members of a channel. `uuids` are dictionaries with `uuid` and, optionally, `custom`.
    public init(channel: String, uuids: [[AnyHashable: Any]]) {
        self.channel = channel
        self.uuids = uuids
        super.init()
    }
}

/// A request that ends memberships of users in a channel.
public final class PNRemoveChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String
    let uuids: [String]

    /// A request that ends memberships of users in a channel. `uuids` are the users' ids.
    public init(channel: String, uuids: [String]) {
        self.channel = channel
        self.uuids = uuids
        super.init()
    }
}

/// A request that makes users members of a channel and ends memberships of other users.
public final class PNManageChannelMembersRequest: PNBaseObjectsMembershipRequest {
    /// The users to make members: dictionaries with `uuid` and, optionally, `custom`.
    public var setMembers: [[AnyHashable: Any]]?
    /// The ids of the users whose membership ends.
    public var removeMembers: [String]?
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String

    /// A request that changes the members of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// A request for the members of a channel.
public final class PNFetchChannelMembersRequest: PNObjectsPaginatedRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNChannelMemberFields = .membersTotalCountField
    let channel: String

    /// A request for the members of `channel`.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}
