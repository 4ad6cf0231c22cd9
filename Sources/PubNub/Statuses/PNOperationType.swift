/// Which call a result or status belongs to. Names and raw values are those of the Cocoa SDK 4.17 (API sheet B.6).
public enum PNOperationType: Int, Sendable, CaseIterable {
    case subscribeOperation = 0
    case unsubscribeOperation = 1
    case publishOperation = 2
    case signalOperation = 3
    case addMessageActionOperation = 4
    case removeMessageActionOperation = 5
    case fetchMessagesActionsOperation = 6
    case historyOperation = 7
    case historyForChannelsOperation = 8
    case historyWithActionsOperation = 9
    case deleteMessageOperation = 10
    case messageCountOperation = 11
    case whereNowOperation = 12
    case hereNowGlobalOperation = 13
    case hereNowForChannelOperation = 14
    case hereNowForChannelGroupOperation = 15
    case heartbeatOperation = 16
    case setStateOperation = 17
    case getStateOperation = 18
    case stateForChannelOperation = 19
    case stateForChannelGroupOperation = 20
    case addChannelsToGroupOperation = 21
    case removeChannelsFromGroupOperation = 22
    case channelGroupsOperation = 23
    case removeGroupOperation = 24
    case channelsForGroupOperation = 25
    case pushNotificationEnabledChannelsOperation = 26
    case addPushNotificationsOnChannelsOperation = 27
    case removePushNotificationsFromChannelsOperation = 28
    case removeAllPushNotificationsOperation = 29
    case pushNotificationEnabledChannelsV2Operation = 30
    case addPushNotificationsOnChannelsV2Operation = 31
    case removePushNotificationsFromChannelsV2Operation = 32
    case removeAllPushNotificationsV2Operation = 33
    case setUUIDMetadataOperation = 34
    case removeUUIDMetadataOperation = 35
    case fetchUUIDMetadataOperation = 36
    case fetchAllUUIDMetadataOperation = 37
    case setChannelMetadataOperation = 38
    case removeChannelMetadataOperation = 39
    case fetchChannelMetadataOperation = 40
    case fetchAllChannelsMetadataOperation = 41
    case setMembershipsOperation = 42
    case removeMembershipsOperation = 43
    case manageMembershipsOperation = 44
    case fetchMembershipsOperation = 45
    case setChannelMembersOperation = 46
    case removeChannelMembersOperation = 47
    case manageChannelMembersOperation = 48
    case fetchChannelMembersOperation = 49
    case generateFileUploadURLOperation = 50
    case publishFileMessageOperation = 51
    case sendFileOperation = 52
    case listFilesOperation = 53
    case downloadFileOperation = 54
    case deleteFileOperation = 55
    case timeOperation = 56
}

extension PNOperationType {
    /// The operation's name for people.
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
