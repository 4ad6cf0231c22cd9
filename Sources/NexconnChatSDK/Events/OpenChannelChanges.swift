import Foundation

// `@unchecked Sendable` of the classes in this file: immutable.

/// A channel's metadata have changed.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataChangedEvent) @objcMembers
#endif
public final class OpenChannelMetadataChangedEvent: NSObject, @unchecked Sendable {
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
public final class OpenChannelMetadataChangeInfo: NSObject, @unchecked Sendable {
    public let channelId: String
    public let key: String
    /// Nil when the pair was removed.
    public let value: String?
    public let operationType: OpenChannelMetadataOperationType

    init(channelId: String, key: String, value: String?, operationType: OpenChannelMetadataOperationType) {
        self.channelId = channelId
        self.key = key
        self.value = value
        self.operationType = operationType
        super.init()
    }
}

/// Somebody came or left.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantChangedEvent) @objcMembers
#endif
public final class OpenChannelParticipantChangedEvent: NSObject, @unchecked Sendable {
    public let channelId: String
    public let actions: [OpenChannelParticipantAction]
    public let participantCount: Int

    init(channelId: String, actions: [OpenChannelParticipantAction], participantCount: Int) {
        self.channelId = channelId
        self.actions = actions
        self.participantCount = participantCount
        super.init()
    }
}

/// One who came or left.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantAction) @objcMembers
#endif
public final class OpenChannelParticipantAction: NSObject, @unchecked Sendable {
    public let userId: String
    public let action: OpenChannelParticipantActionType

    init(userId: String, action: OpenChannelParticipantActionType) {
        self.userId = userId
        self.action = action
        super.init()
    }
}

/// Who may speak has changed.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantMutedEvent) @objcMembers
#endif
public final class OpenChannelParticipantMutedEvent: NSObject, @unchecked Sendable {
    public let channelId: String
    public let type: OpenChannelMuteType
    /// Empty when it concerns all.
    public let userIds: [String]
    /// Milliseconds; 0 when it does not end by itself.
    public let duration: Int64
    /// Milliseconds since 1970.
    public let operationTime: Int64
    /// Not told by this service: always nil.
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

/// Somebody was banned.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantBannedEvent) @objcMembers
#endif
public final class OpenChannelParticipantBannedEvent: NSObject, @unchecked Sendable {
    public let channelId: String
    public let userIds: [String]
    /// Milliseconds; 0 when it does not end by itself.
    public let duration: Int64
    /// Milliseconds since 1970.
    public let operationTime: Int64
    /// Not told by this service: always nil.
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

/// The user entered or left with another device.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMultiLoginSyncEvent) @objcMembers
#endif
public final class OpenChannelMultiLoginSyncEvent: NSObject, @unchecked Sendable {
    public let channelId: String
    public let status: OpenChannelSyncStatus
    public let reason: OpenChannelSyncReason

    init(channelId: String, status: OpenChannelSyncStatus, reason: OpenChannelSyncReason) {
        self.channelId = channelId
        self.status = status
        self.reason = reason
        super.init()
    }
}
