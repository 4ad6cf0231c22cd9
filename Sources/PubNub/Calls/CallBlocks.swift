// Completion handlers of calls. A handler is called on the client's callback queue, once for the call and once more for every
// ``PNStatus/retry()`` of the failed call. A handler with the arguments `(result, status)` gets either a result or a status; the other
// argument is nil.

/// Completion handler that gets either a result or a status; the other argument is nil.
public typealias PNCompletionBlock = (PNResult?, PNStatus?) -> Void
/// Completion handler that gets a result.
public typealias PNResultBlock = (PNResult) -> Void
/// Completion handler that gets a status.
public typealias PNStatusBlock = (PNStatus) -> Void

/// Completion handler of a publish request. It gets a status with the message's timetoken.
public typealias PNPublishCompletionBlock = (PNPublishStatus) -> Void
/// Completion handler of a signal. It gets a status with the signal's timetoken.
public typealias PNSignalCompletionBlock = (PNSignalStatus) -> Void
/// Completion handler of a size calculation. It gets the size of the publish request in bytes; -1 when the message cannot be sent.
public typealias PNMessageSizeCalculationCompletionBlock = (Int) -> Void
/// Completion handler of a request for the service's time. It gets a result or an error status.
public typealias PNTimeCompletionBlock = (PNTimeResult?, PNErrorStatus?) -> Void

/// Completion handler of a request for stored messages. It gets a result or an error status.
public typealias PNHistoryCompletionBlock = (PNHistoryResult?, PNErrorStatus?) -> Void
/// Completion handler of a request that deletes stored messages. It gets a status.
public typealias PNMessageDeleteCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Completion handler of a request for message counts. It gets a result or an error status.
public typealias PNMessageCountCompletionBlock = (PNMessageCountResult?, PNErrorStatus?) -> Void

/// Completion handler of a request for the users on a channel. It gets a result or an error status.
public typealias PNHereNowCompletionBlock = (PNPresenceChannelHereNowResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for the users on all channels. It gets a result or an error status.
public typealias PNGlobalHereNowCompletionBlock = (PNPresenceGlobalHereNowResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for the users on a group's channels. It gets a result or an error status.
public typealias PNChannelGroupHereNowCompletionBlock = (PNPresenceChannelGroupHereNowResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for the channels on which a user is present. It gets a result or an error status.
public typealias PNWhereNowCompletionBlock = (PNPresenceWhereNowResult?, PNErrorStatus?) -> Void

/// Completion handler of a request that sets a user's state. It gets a status with the state.
public typealias PNSetStateCompletionBlock = (PNClientStateUpdateStatus) -> Void
/// Completion handler of a request for a user's state by channel. It gets a result or an error status.
public typealias PNGetStateCompletionBlock = (PNClientStateGetResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for a user's state on one channel. It gets a result or an error status.
public typealias PNChannelStateCompletionBlock = (PNChannelClientStateResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for a user's state on a group's channels. It gets a result or an error status.
public typealias PNChannelGroupStateCompletionBlock = (PNChannelGroupClientStateResult?, PNErrorStatus?) -> Void

/// Completion handler of a request for the names of channel groups. It gets a result or an error status.
public typealias PNGroupAuditCompletionBlock = (PNChannelGroupsResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for the channels of a group. It gets a result or an error status.
public typealias PNGroupChannelsAuditCompletionBlock = (PNChannelGroupChannelsResult?, PNErrorStatus?) -> Void
/// Completion handler of a request that changes a channel group. It gets a status.
public typealias PNChannelGroupChangeCompletionBlock = (PNAcknowledgmentStatus) -> Void

/// Completion handler of a change of a device's push notifications. It gets a status.
public typealias PNPushNotificationsStateModificationCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Completion handler of a request for the channels on which a device is notified. It gets a result or an error status.
public typealias PNPushNotificationsStateAuditCompletionBlock = (PNAPNSEnabledChannelsResult?, PNErrorStatus?) -> Void

/// Completion handler of a request that adds a message action. It gets a status with the action.
public typealias PNAddMessageActionCompletionBlock = (PNAddMessageActionStatus) -> Void
/// Completion handler of a request that removes a message action. It gets a status.
public typealias PNRemoveMessageActionCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Completion handler of a request for message actions. It gets a result or an error status.
public typealias PNFetchMessageActionsCompletionBlock = (PNFetchMessageActionsResult?, PNErrorStatus?) -> Void
