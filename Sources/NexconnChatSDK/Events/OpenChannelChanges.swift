import Foundation

/// The event that the metadata of an open channel changed.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataChangedEvent) @objcMembers
#endif
public final class OpenChannelMetadataChangedEvent: NSObject, Sendable {
    /// The changed pairs.
    public let changeInfo: [OpenChannelMetadataChangeInfo]

    init(changeInfo: [OpenChannelMetadataChangeInfo]) {
        self.changeInfo = changeInfo
        super.init()
    }
}

/// One change of a channel's metadata.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataChangeInfo) @objcMembers
#endif
public final class OpenChannelMetadataChangeInfo: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// The key of the metadata entry.
    public let key: String
    /// The new value of the entry; nil when the entry was removed.
    public let value: String?
    /// Whether the entry was set or removed.
    public let operationType: OpenChannelMetadataOperationType

    init(channelId: String, key: String, value: String?, operationType: OpenChannelMetadataOperationType) {
        self.channelId = channelId
        self.key = key
        self.value = value
        self.operationType = operationType
        super.init()
    }
}

/// The event that users entered or left an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantChangedEvent) @objcMembers
#endif
public final class OpenChannelParticipantChangedEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// The users who entered or left the channel.
    public let actions: [OpenChannelParticipantAction]
    /// How many users are in the channel now.
    public let participantCount: Int

    init(channelId: String, actions: [OpenChannelParticipantAction], participantCount: Int) {
        self.channelId = channelId
        self.actions = actions
        self.participantCount = participantCount
        super.init()
    }
}

/// A user who entered or left an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantAction) @objcMembers
#endif
public final class OpenChannelParticipantAction: NSObject, Sendable {
    /// The user's id.
    public let userId: String
    /// Whether the user entered or left the channel.
    public let action: OpenChannelParticipantActionType

    init(userId: String, action: OpenChannelParticipantActionType) {
        self.userId = userId
        self.action = action
        super.init()
    }
}

/// The event that users of an open channel were muted or unmuted.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantMutedEvent) @objcMembers
#endif
public final class OpenChannelParticipantMutedEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// The kind of change, such as muting users.
    public let type: OpenChannelMuteType
    /// The users who were muted or unmuted; empty when the change applies to all users.
    public let userIds: [String]
    /// How many milliseconds the change applies; 0 for an unlimited time.
    public let duration: Int64
    /// When the users were muted or unmuted, in milliseconds since 1970.
    public let operationTime: Int64
    /// Always nil with Lifeline's server.
    public let extra: String?

    init(
        channelId: String, type: OpenChannelMuteType, userIds: [String], duration: Int64, operationTime: Int64, extra: String?
    ) {
        self.channelId = channelId
        self.type = type
        self.userIds = userIds
        self.duration = duration
        self.operationTime = operationTime
        self.extra = extra
        super.init()
    }
}

/// The event that users were banned from an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantBannedEvent) @objcMembers
#endif
public final class OpenChannelParticipantBannedEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// The banned users.
    public let userIds: [String]
    /// How many milliseconds the ban lasts; 0 for an unlimited time.
    public let duration: Int64
    /// When the users were banned, in milliseconds since 1970.
    public let operationTime: Int64
    /// Always nil with Lifeline's server.
    public let extra: String?

    init(channelId: String, userIds: [String], duration: Int64, operationTime: Int64, extra: String?) {
        self.channelId = channelId
        self.userIds = userIds
        self.duration = duration
        self.operationTime = operationTime
        self.extra = extra
        super.init()
    }
}

/// The event that the user entered or left an open channel with another device.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMultiLoginSyncEvent) @objcMembers
#endif
public final class OpenChannelMultiLoginSyncEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// Whether the user entered or left the channel.
    public let status: OpenChannelSyncStatus
    /// Why the user entered or left the channel.
    public let reason: OpenChannelSyncReason

    init(channelId: String, status: OpenChannelSyncStatus, reason: OpenChannelSyncReason) {
        self.channelId = channelId
        self.status = status
        self.reason = reason
        super.init()
    }
}
