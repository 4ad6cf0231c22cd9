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
/// Completion handler of a request for the service's time. It gets a result or an error status.
public typealias PNTimeCompletionBlock = (PNTimeResult?, PNErrorStatus?) -> Void

/// Completion handler of a request for stored messages. It gets a result or an error status.
public typealias PNHistoryCompletionBlock = (PNHistoryResult?, PNErrorStatus?) -> Void
/// Completion handler of deleting messages.
public typealias PNMessageDeleteCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Takes how many messages there are, or why it is not known.
public typealias PNMessageCountCompletionBlock = (PNMessageCountResult?, PNErrorStatus?) -> Void

/// Takes who is on a channel, or why it is not known.
public typealias PNHereNowCompletionBlock = (PNPresenceChannelHereNowResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for the users on all channels. It gets a result or an error status.
public typealias PNGlobalHereNowCompletionBlock = (PNPresenceGlobalHereNowResult?, PNErrorStatus?) -> Void
/// Takes who is on a group's channels, or why it is not known.
public typealias PNChannelGroupHereNowCompletionBlock = (PNPresenceChannelGroupHereNowResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for the channels on which a user is present. It gets a result or an error status.
public typealias PNWhereNowCompletionBlock = (PNPresenceWhereNowResult?, PNErrorStatus?) -> Void

/// Completion handler of setting state.
public typealias PNSetStateCompletionBlock = (PNClientStateUpdateStatus) -> Void
/// Completion handler of a request for a user's state by channel. It gets a result or an error status.
public typealias PNGetStateCompletionBlock = (PNClientStateGetResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for a user's state on one channel. It gets a result or an error status.
public typealias PNChannelStateCompletionBlock = (PNChannelClientStateResult?, PNErrorStatus?) -> Void
/// Takes the state on a group's channels, or why there is none.
public typealias PNChannelGroupStateCompletionBlock = (PNChannelGroupClientStateResult?, PNErrorStatus?) -> Void

/// Completion handler of a request for the names of channel groups. It gets a result or an error status.
public typealias PNGroupAuditCompletionBlock = (PNChannelGroupsResult?, PNErrorStatus?) -> Void
/// Completion handler of a request for the channels of a group. It gets a result or an error status.
public typealias PNGroupChannelsAuditCompletionBlock = (PNChannelGroupChannelsResult?, PNErrorStatus?) -> Void
/// Completion handler of changing a channel group.
public typealias PNChannelGroupChangeCompletionBlock = (PNAcknowledgmentStatus) -> Void

/// Completion handler of a change of a device's push notifications. It gets a status.
public typealias PNPushNotificationsStateModificationCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Takes on which channels a device is notified, or why it is not known.
public typealias PNPushNotificationsStateAuditCompletionBlock = (PNAPNSEnabledChannelsResult?, PNErrorStatus?) -> Void

/// Completion handler of adding a message action.
public typealias PNAddMessageActionCompletionBlock = (PNAddMessageActionStatus) -> Void
/// Completion handler of removing a message action.
public typealias PNRemoveMessageActionCompletionBlock = (PNAcknowledgmentStatus) -> Void
/// Completion handler of a request for message actions. It gets a result or an error status.
public typealias PNFetchMessageActionsCompletionBlock = (PNFetchMessageActionsResult?, PNErrorStatus?) -> Void
