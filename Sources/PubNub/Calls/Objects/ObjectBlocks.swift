// Completion handlers of calls about App Context. A handler is called on the client's callback queue, once for the call and once more for
// every ``PNStatus/retry()`` of the failed call.

/// Completion handler of a request that sets data about a user. It gets a status.
public typealias PNSetUUIDMetadataCompletionBlock = (PNSetUUIDMetadataStatus) -> Void
/// Completion handler of a request that removes data about a user. It gets a status.
public typealias PNRemoveUUIDMetadataCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Completion handler of a request for data about a user. It gets a result or an error status.
public typealias PNFetchUUIDMetadataCompletionBlock = (PNFetchUUIDMetadataResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for data about all users. It gets a result or an error status.
public typealias PNFetchAllUUIDMetadataCompletionBlock = (PNFetchAllUUIDMetadataResult?, PNErrorStatus?) -> Void
/// Completion handler of a request that sets data about a channel. It gets a status.
public typealias PNSetChannelMetadataCompletionBlock = (PNSetChannelMetadataStatus) -> Void
/// Completion handler of a request that removes data about a channel. It gets a status.
public typealias PNRemoveChannelMetadataCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Completion handler of a request for data about a channel. It gets a result or an error status.
public typealias PNFetchChannelMetadataCompletionBlock = (PNFetchChannelMetadataResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for data about all channels. It gets a result or an error status.
public typealias PNFetchAllChannelsMetadataCompletionBlock = (PNFetchAllChannelsMetadataResult?, PNErrorStatus?) -> Void
/// Completion handler of a request that changes a user's memberships. It gets a status with one page of the memberships.
public typealias PNManageMembershipsCompletionBlock = (PNManageMembershipsStatus) -> Void
/// Completion handler of a request for a user's memberships. It gets a result or an error status.
public typealias PNFetchMembershipsCompletionBlock = (PNFetchMembershipsResult?, PNErrorStatus?) -> Void
/// Completion handler of a request that changes a channel's members. It gets a status with one page of the members.
public typealias PNManageChannelMembersCompletionBlock = (PNManageChannelMembersStatus) -> Void
/// Completion handler of a request for a channel's members. It gets a result or an error status.
public typealias PNFetchChannelMembersCompletionBlock = (PNFetchChannelMembersResult?, PNErrorStatus?) -> Void
