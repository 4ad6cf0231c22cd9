/// Makes the builders of requests about App Context: data about users, channels and memberships.
public final class PNObjectsAPICallBuilder: PNAPICallBuilder {
    /// A new builder of a request that sets data about a user.
    public var setUUIDMetadata: () -> PNSetUUIDMetadataAPICallBuilder { { PNSetUUIDMetadataAPICallBuilder(self.client) } }
    /// A new builder of a request that removes data about a user.
    public var removeUUIDMetadata: () -> PNRemoveUUIDMetadataAPICallBuilder {
        { PNRemoveUUIDMetadataAPICallBuilder(self.client) }
    }
    /// A new builder of a request for the data about a user.
    public var uuidMetadata: () -> PNFetchUUIDMetadataAPICallBuilder { { PNFetchUUIDMetadataAPICallBuilder(self.client) } }
    /// A new builder of a request for the data about all users.
    public var allUUIDMetadata: () -> PNFetchAllUUIDMetadataAPICallBuilder {
        { PNFetchAllUUIDMetadataAPICallBuilder(self.client) }
    }
    /// A new builder of a request that sets data about a channel. The argument is the channel's name.
    public var setChannelMetadata: (String) -> PNSetChannelMetadataAPICallBuilder {
        { PNSetChannelMetadataAPICallBuilder(self.client, $0) }
    }
    /// A new builder of a request that removes data about a channel. The argument is the channel's name.
    public var removeChannelMetadata: (String) -> PNRemoveChannelMetadataAPICallBuilder {
        { PNRemoveChannelMetadataAPICallBuilder(self.client, $0) }
    }
    /// A new builder of a request for the data about a channel. The argument is the channel's name.
    public var channelMetadata: (String) -> PNFetchChannelMetadataAPICallBuilder {
        { PNFetchChannelMetadataAPICallBuilder(self.client, $0) }
    }
    /// A new builder of a request for the data about all channels.
    public var allChannelsMetadata: () -> PNFetchAllChannelsMetadataAPICallBuilder {
        { PNFetchAllChannelsMetadataAPICallBuilder(self.client) }
    }
    /// A new builder of a request that makes a user a member of channels.
    public var setMemberships: () -> PNSetMembershipsAPICallBuilder { { PNSetMembershipsAPICallBuilder(self.client) } }
    /// A new builder of a request that ends memberships of a user in channels.
    public var removeMemberships: () -> PNRemoveMembershipsAPICallBuilder { { PNRemoveMembershipsAPICallBuilder(self.client) } }
    /// A new builder of a request that makes a user a member of channels and ends the user's memberships in other channels.
    public var manageMemberships: () -> PNManageMembershipsAPICallBuilder { { PNManageMembershipsAPICallBuilder(self.client) } }
    /// A new builder of a request for the memberships of a user.
    public var memberships: () -> PNFetchMembershipsAPICallBuilder { { PNFetchMembershipsAPICallBuilder(self.client) } }
    /// A new builder of a request that makes users members of a channel. The argument is the channel's name.
    public var setChannelMembers: (String) -> PNSetChannelMembersAPICallBuilder {
        { PNSetChannelMembersAPICallBuilder(self.client, $0) }
    }
    /// A new builder of a request that ends memberships of users in a channel. The argument is the channel's name.
    public var removeChannelMembers: (String) -> PNRemoveChannelMembersAPICallBuilder {
        { PNRemoveChannelMembersAPICallBuilder(self.client, $0) }
    }
    /// A new builder of a request that makes users members of a channel and ends the memberships of other users. The argument is the
    /// channel's name.
    public var manageChannelMembers: (String) -> PNManageChannelMembersAPICallBuilder {
        { PNManageChannelMembersAPICallBuilder(self.client, $0) }
    }
    /// A new builder of a request for the members of a channel. The argument is the channel's name.
    public var channelMembers: (String) -> PNFetchChannelMembersAPICallBuilder {
        { PNFetchChannelMembersAPICallBuilder(self.client, $0) }
    }
}

extension PubNub {
    /// Makes the builders of requests about App Context: data about users, channels and memberships.
    public var objects: () -> PNObjectsAPICallBuilder { { PNObjectsAPICallBuilder(self) } }
}
