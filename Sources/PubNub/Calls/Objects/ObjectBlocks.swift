// Blocks that calls about App Context end with. All are called on the client's callback queue, once for each attempt.

/// Takes how setting data about a user ended.
public typealias PNSetUUIDMetadataCompletionBlock = (PNSetUUIDMetadataStatus) -> Void
/// Takes how removing data about a user ended.
public typealias PNRemoveUUIDMetadataCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Takes data about a user, or why there is none.
public typealias PNFetchUUIDMetadataCompletionBlock = (PNFetchUUIDMetadataResult?, PNErrorStatus?) -> Void
/// Takes data about users, or why there is none.
public typealias PNFetchAllUUIDMetadataCompletionBlock = (PNFetchAllUUIDMetadataResult?, PNErrorStatus?) -> Void
/// Takes how setting data about a channel ended.
public typealias PNSetChannelMetadataCompletionBlock = (PNSetChannelMetadataStatus) -> Void
/// Takes how removing data about a channel ended.
public typealias PNRemoveChannelMetadataCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Takes data about a channel, or why there is none.
public typealias PNFetchChannelMetadataCompletionBlock = (PNFetchChannelMetadataResult?, PNErrorStatus?) -> Void
/// Takes data about channels, or why there is none.
public typealias PNFetchAllChannelsMetadataCompletionBlock = (PNFetchAllChannelsMetadataResult?, PNErrorStatus?) -> Void
/// Completion handler of changing memberships.
public typealias PNManageMembershipsCompletionBlock = (PNManageMembershipsStatus) -> Void
/// Takes memberships, or why there are none.
public typealias PNFetchMembershipsCompletionBlock = (PNFetchMembershipsResult?, PNErrorStatus?) -> Void
/// Completion handler of changing members.
public typealias PNManageChannelMembersCompletionBlock = (PNManageChannelMembersStatus) -> Void
/// Takes members, or why there are none.
public typealias PNFetchChannelMembersCompletionBlock = (PNFetchChannelMembersResult?, PNErrorStatus?) -> Void
