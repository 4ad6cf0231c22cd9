import Foundation

/// Who ended a channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelDestroyType)
#endif
public enum OpenChannelDestroyType: Int, Sendable {
    case manual = 0
    /// Nobody had said anything for long.
    case auto = 3
}

#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataOperationType)
#endif
public enum OpenChannelMetadataOperationType: Int, Sendable {
    case update = 0
    case remove = 1
}

#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantActionType)
#endif
public enum OpenChannelParticipantActionType: Int, Sendable {
    case leave = 0
    case join = 1
}

#if canImport(ObjectiveC)
    @objc(NCOpenChannelMuteType)
#endif
public enum OpenChannelMuteType: Int, Sendable {
    case unmuteUsers = 0
    case muteUsers = 1
    case unmuteAll = 2
    case muteAll = 3
    case removeAllowlist = 4
    case addAllowlist = 5
    case unmuteGlobal = 6
    case muteGlobal = 7
}

#if canImport(ObjectiveC)
    @objc(NCOpenChannelSyncStatus)
#endif
public enum OpenChannelSyncStatus: Int, Sendable {
    case quit = 0
    case join = 1
}

/// Why the user left or entered.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelSyncReason)
#endif
public enum OpenChannelSyncReason: Int, Sendable {
    case leaveOnMyOwn = 1
    case otherDeviceLogin = 2
}
