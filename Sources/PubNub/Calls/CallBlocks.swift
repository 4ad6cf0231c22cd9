// Blocks that calls end with. All are called on the client's callback queue, once for each attempt. Of `(result, status)` exactly
// one is not nil.

/// Completion handler that gets a result or a status.
public typealias PNCompletionBlock = (PNResult?, PNStatus?) -> Void
/// Takes a result.
public typealias PNResultBlock = (PNResult) -> Void
/// Takes a status.
public typealias PNStatusBlock = (PNStatus) -> Void

/// Completion handler of publishing.
public typealias PNPublishCompletionBlock = (PNPublishStatus) -> Void
/// Completion handler of signals.
public typealias PNSignalCompletionBlock = (PNSignalStatus) -> Void
/// Takes a size in bytes; -1 when there is none, because the message cannot be sent.
public typealias PNMessageSizeCalculationCompletionBlock = (Int) -> Void
/// Takes the service's time, or why there is none.
public typealias PNTimeCompletionBlock = (PNTimeResult?, PNErrorStatus?) -> Void

/// Takes stored messages, or why there are none.
public typealias PNHistoryCompletionBlock = (PNHistoryResult?, PNErrorStatus?) -> Void
/// Completion handler of deleting messages.
public typealias PNMessageDeleteCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Takes how many messages there are, or why it is not known.
public typealias PNMessageCountCompletionBlock = (PNMessageCountResult?, PNErrorStatus?) -> Void

/// Takes who is on a channel, or why it is not known.
public typealias PNHereNowCompletionBlock = (PNPresenceChannelHereNowResult?, PNErrorStatus?) -> Void
/// Takes who is anywhere, or why it is not known.
public typealias PNGlobalHereNowCompletionBlock = (PNPresenceGlobalHereNowResult?, PNErrorStatus?) -> Void
/// Takes who is on a group's channels, or why it is not known.
public typealias PNChannelGroupHereNowCompletionBlock = (PNPresenceChannelGroupHereNowResult?, PNErrorStatus?) -> Void
/// Takes where a user is, or why it is not known.
public typealias PNWhereNowCompletionBlock = (PNPresenceWhereNowResult?, PNErrorStatus?) -> Void

/// Completion handler of setting state.
public typealias PNSetStateCompletionBlock = (PNClientStateUpdateStatus) -> Void
/// Takes state by channel, or why there is none.
public typealias PNGetStateCompletionBlock = (PNClientStateGetResult?, PNErrorStatus?) -> Void
/// Takes the state on a channel, or why there is none.
public typealias PNChannelStateCompletionBlock = (PNChannelClientStateResult?, PNErrorStatus?) -> Void
/// Takes the state on a group's channels, or why there is none.
public typealias PNChannelGroupStateCompletionBlock = (PNChannelGroupClientStateResult?, PNErrorStatus?) -> Void

/// Takes the names of groups, or why there are none.
public typealias PNGroupAuditCompletionBlock = (PNChannelGroupsResult?, PNErrorStatus?) -> Void
/// Takes a group's channels, or why there are none.
public typealias PNGroupChannelsAuditCompletionBlock = (PNChannelGroupChannelsResult?, PNErrorStatus?) -> Void
/// Completion handler of changing a channel group.
public typealias PNChannelGroupChangeCompletionBlock = (PNAcknowledgmentStatus) -> Void

/// Takes how changing a device's notifications ended.
public typealias PNPushNotificationsStateModificationCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Takes on which channels a device is notified, or why it is not known.
public typealias PNPushNotificationsStateAuditCompletionBlock = (PNAPNSEnabledChannelsResult?, PNErrorStatus?) -> Void

/// Completion handler of adding a message action.
public typealias PNAddMessageActionCompletionBlock = (PNAddMessageActionStatus) -> Void
/// Completion handler of removing a message action.
public typealias PNRemoveMessageActionCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Takes actions, or why there are none.
public typealias PNFetchMessageActionsCompletionBlock = (PNFetchMessageActionsResult?, PNErrorStatus?) -> Void
