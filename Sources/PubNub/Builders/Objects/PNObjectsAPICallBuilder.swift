/// Reads and changes data about users, channels and memberships (App Context).
public final class PNObjectsAPICallBuilder: PNAPICallBuilder {
    /// Sets data about a user.
    public var setUUIDMetadata: () -> PNSetUUIDMetadataAPICallBuilder { { PNSetUUIDMetadataAPICallBuilder(self.client) } }
    /// Removes data about a user.
    public var removeUUIDMetadata: () -> PNRemoveUUIDMetadataAPICallBuilder {
        { PNRemoveUUIDMetadataAPICallBuilder(self.client) }
    }
    /// Fetches data about a user.
    public var uuidMetadata: () -> PNFetchUUIDMetadataAPICallBuilder { { PNFetchUUIDMetadataAPICallBuilder(self.client) } }
    /// Fetches data about all users.
    public var allUUIDMetadata: () -> PNFetchAllUUIDMetadataAPICallBuilder {
        { PNFetchAllUUIDMetadataAPICallBuilder(self.client) }
    }
    /// Sets data about a channel.
    public var setChannelMetadata: (String) -> PNSetChannelMetadataAPICallBuilder {
        { PNSetChannelMetadataAPICallBuilder(self.client, $0) }
    }
    /// Removes data about a channel.
    public var removeChannelMetadata: (String) -> PNRemoveChannelMetadataAPICallBuilder {
        { PNRemoveChannelMetadataAPICallBuilder(self.client, $0) }
    }
    /// Fetches data about a channel.
    public var channelMetadata: (String) -> PNFetchChannelMetadataAPICallBuilder {
        { PNFetchChannelMetadataAPICallBuilder(self.client, $0) }
    }
    /// Fetches data about all channels.
    public var allChannelsMetadata: () -> PNFetchAllChannelsMetadataAPICallBuilder {
        { PNFetchAllChannelsMetadataAPICallBuilder(self.client) }
    }
    /// Sets a user's memberships.
    public var setMemberships: () -> PNSetMembershipsAPICallBuilder { { PNSetMembershipsAPICallBuilder(self.client) } }
    /// Removes a user's memberships.
    public var removeMemberships: () -> PNRemoveMembershipsAPICallBuilder { { PNRemoveMembershipsAPICallBuilder(self.client) } }
    /// Sets and removes a user's memberships.
    public var manageMemberships: () -> PNManageMembershipsAPICallBuilder { { PNManageMembershipsAPICallBuilder(self.client) } }
    /// Fetches a user's memberships.
    public var memberships: () -> PNFetchMembershipsAPICallBuilder { { PNFetchMembershipsAPICallBuilder(self.client) } }
    /// Sets a channel's members.
    public var setChannelMembers: (String) -> PNSetChannelMembersAPICallBuilder {
        { PNSetChannelMembersAPICallBuilder(self.client, $0) }
    }
    /// Removes a channel's members.
    public var removeChannelMembers: (String) -> PNRemoveChannelMembersAPICallBuilder {
        { PNRemoveChannelMembersAPICallBuilder(self.client, $0) }
    }
    /// Sets and removes a channel's members.
    public var manageChannelMembers: (String) -> PNManageChannelMembersAPICallBuilder {
        { PNManageChannelMembersAPICallBuilder(self.client, $0) }
    }
    /// Fetches a channel's members.
    public var channelMembers: (String) -> PNFetchChannelMembersAPICallBuilder {
        { PNFetchChannelMembersAPICallBuilder(self.client, $0) }
    }
}

extension PubNub {
    /// Reads and changes data about users, channels and memberships (App Context).
    public var objects: () -> PNObjectsAPICallBuilder { { PNObjectsAPICallBuilder(self) } }
}
