/// The calls that results and statuses belong to. The names and raw values are the same as in the Cocoa SDK 4.17.
public enum PNOperationType: Int, Sendable, CaseIterable {
    /// Subscribing.
    case subscribeOperation = 0
    /// Unsubscribing.
    case unsubscribeOperation = 1
    /// Publishing a message.
    case publishOperation = 2
    /// Sending a signal.
    case signalOperation = 3
    /// Adding a message action.
    case addMessageActionOperation = 4
    /// Removing a message action.
    case removeMessageActionOperation = 5
    /// Fetching message actions.
    case fetchMessagesActionsOperation = 6
    /// Fetching the history of one channel.
    case historyOperation = 7
    /// Fetching the history of several channels.
    case historyForChannelsOperation = 8
    /// Fetching the history of a channel with its message actions.
    case historyWithActionsOperation = 9
    /// Deleting messages from the history.
    case deleteMessageOperation = 10
    /// Counting messages of the history.
    case messageCountOperation = 11
    /// Fetching the channels on which a user is present.
    case whereNowOperation = 12
    /// Fetching the users who are present on all channels.
    case hereNowGlobalOperation = 13
    /// Fetching the users who are present on a channel.
    case hereNowForChannelOperation = 14
    /// Fetching the users who are present on the channels of a group.
    case hereNowForChannelGroupOperation = 15
    /// A heartbeat.
    case heartbeatOperation = 16
    /// Setting a state.
    case setStateOperation = 17
    /// Fetching a state.
    case getStateOperation = 18
    /// Fetching a user's presence state on a channel.
    case stateForChannelOperation = 19
    /// Fetching a user's presence state on the channels of a group.
    case stateForChannelGroupOperation = 20
    /// Adding channels to a group.
    case addChannelsToGroupOperation = 21
    /// Removing channels from a group.
    case removeChannelsFromGroupOperation = 22
    /// Fetching the names of all channel groups.
    case channelGroupsOperation = 23
    /// Removing a group.
    case removeGroupOperation = 24
    /// Fetching a group's channels.
    case channelsForGroupOperation = 25
    /// Fetching the channels whose push notifications a device gets.
    case pushNotificationEnabledChannelsOperation = 26
    /// Enabling push notifications of channels for a device.
    case addPushNotificationsOnChannelsOperation = 27
    /// Disabling push notifications of channels for a device.
    case removePushNotificationsFromChannelsOperation = 28
    /// Disabling all push notifications of a device.
    case removeAllPushNotificationsOperation = 29
    /// Fetching the channels whose push notifications a device gets through Apple's HTTP/2 push service.
    case pushNotificationEnabledChannelsV2Operation = 30
    /// Enabling push notifications of channels for a device, through Apple's HTTP/2 push service.
    case addPushNotificationsOnChannelsV2Operation = 31
    /// Disabling push notifications of channels for a device, through Apple's HTTP/2 push service.
    case removePushNotificationsFromChannelsV2Operation = 32
    /// Disabling all push notifications of a device, through Apple's HTTP/2 push service.
    case removeAllPushNotificationsV2Operation = 33
    /// Setting a user's metadata.
    case setUUIDMetadataOperation = 34
    /// Removing a user's metadata.
    case removeUUIDMetadataOperation = 35
    /// Fetching a user's metadata.
    case fetchUUIDMetadataOperation = 36
    /// Fetching the metadata of all users.
    case fetchAllUUIDMetadataOperation = 37
    /// Setting a channel's metadata.
    case setChannelMetadataOperation = 38
    /// Removing a channel's metadata.
    case removeChannelMetadataOperation = 39
    /// Fetching a channel's metadata.
    case fetchChannelMetadataOperation = 40
    /// Fetching the metadata of all channels.
    case fetchAllChannelsMetadataOperation = 41
    /// Setting a user's memberships.
    case setMembershipsOperation = 42
    /// Removing a user's memberships.
    case removeMembershipsOperation = 43
    /// Changing a user's memberships.
    case manageMembershipsOperation = 44
    /// Fetching a user's memberships.
    case fetchMembershipsOperation = 45
    /// Setting a channel's members.
    case setChannelMembersOperation = 46
    /// Removing a channel's members.
    case removeChannelMembersOperation = 47
    /// Changing a channel's members.
    case manageChannelMembersOperation = 48
    /// Fetching a channel's members.
    case fetchChannelMembersOperation = 49
    /// Requesting the address to which a file is uploaded.
    case generateFileUploadURLOperation = 50
    /// Publishing a message about a file.
    case publishFileMessageOperation = 51
    /// Uploading a file.
    case sendFileOperation = 52
    /// Listing files.
    case listFilesOperation = 53
    /// Downloading a file.
    case downloadFileOperation = 54
    /// Deleting a file.
    case deleteFileOperation = 55
    /// Fetching the service's time.
    case timeOperation = 56
}

extension PNOperationType {
    /// The human-readable name of the operation, such as `Subscribe`.
    var text: String {
        switch self {
        case .subscribeOperation: "Subscribe"
        case .unsubscribeOperation: "Unsubscribe"
        case .publishOperation: "Publish"
        case .signalOperation: "Signal"
        case .addMessageActionOperation: "Add Message Action"
        case .removeMessageActionOperation: "Remove Message Action"
        case .fetchMessagesActionsOperation: "Fetch Messages Actions"
        case .historyOperation: "History"
        case .historyForChannelsOperation: "History for Channels"
        case .historyWithActionsOperation: "History with Actions"
        case .deleteMessageOperation: "Delete message from History"
        case .messageCountOperation: "Message count for Channels"
        case .whereNowOperation: "Where Now"
        case .hereNowGlobalOperation: "Global Here Now"
        case .hereNowForChannelOperation: "Here Now for Channel"
        case .hereNowForChannelGroupOperation: "Here Now for Channel Group"
        case .heartbeatOperation: "Heartbeat"
        case .setStateOperation: "Set State"
        case .getStateOperation: "Get State for Channels and / or Channel Groups"
        case .stateForChannelOperation: "Get State for Channel"
        case .stateForChannelGroupOperation: "Get State for Channel Group"
        case .addChannelsToGroupOperation: "Add Channels To Group"
        case .removeChannelsFromGroupOperation: "Remove Channels From Group"
        case .channelGroupsOperation: "Get Groups"
        case .removeGroupOperation: "Remove Channel Group"
        case .channelsForGroupOperation: "Get Channels For Group"
        case .pushNotificationEnabledChannelsOperation: "Get Push Notification Enabled Channels"
        case .addPushNotificationsOnChannelsOperation: "Enable Push Notifications On Channels"
        case .removePushNotificationsFromChannelsOperation: "Remove Push Notifications From Channels"
        case .removeAllPushNotificationsOperation: "Remove All Push Notifications"
        case .pushNotificationEnabledChannelsV2Operation: "Get Push Notification Enabled Channels (v2)"
        case .addPushNotificationsOnChannelsV2Operation: "Enable Push Notifications On Channels (v2)"
        case .removePushNotificationsFromChannelsV2Operation: "Remove Push Notifications From Channels (v2)"
        case .removeAllPushNotificationsV2Operation: "Remove All Push Notifications (v2)"
        case .setUUIDMetadataOperation: "Set UUID Metadata"
        case .removeUUIDMetadataOperation: "Remove UUID Metadata"
        case .fetchUUIDMetadataOperation: "Fetch UUID Metadata"
        case .fetchAllUUIDMetadataOperation: "Fetch All UUIDs Metadata"
        case .setChannelMetadataOperation: "Update Channel Metadata"
        case .removeChannelMetadataOperation: "Remove Channel Metadata"
        case .fetchChannelMetadataOperation: "Fetch Channel Metadata"
        case .fetchAllChannelsMetadataOperation: "Fetch All Channels Metadata"
        case .setMembershipsOperation: "Update Memberships"
        case .removeMembershipsOperation: "Remove Memberships"
        case .manageMembershipsOperation: "Manage Memberships"
        case .fetchMembershipsOperation: "Fetch Memberships"
        case .setChannelMembersOperation: "Set Channel Members"
        case .removeChannelMembersOperation: "Remove Channel Members"
        case .manageChannelMembersOperation: "Manage Channel Members"
        case .fetchChannelMembersOperation: "Fetch Channel Members"
        case .generateFileUploadURLOperation: "Generate File Upload URL"
        case .publishFileMessageOperation: "Publish File Message"
        case .sendFileOperation: "Send File"
        case .listFilesOperation: "List Files"
        case .downloadFileOperation: "Download File"
        case .deleteFileOperation: "Delete file"
        case .timeOperation: "Time"
        }
    }
}
