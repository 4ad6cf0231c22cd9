import Foundation

/// The ways in which an open channel is destroyed.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelDestroyType)
#endif
public enum OpenChannelDestroyType: Int, Sendable {
    /// The application's server destroyed the channel.
    case manual = 0
    /// The service destroyed the channel, because it had neither participants nor messages for some time.
    case auto = 3
}

/// The kinds of changes of an open channel's metadata.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataOperationType)
#endif
public enum OpenChannelMetadataOperationType: Int, Sendable {
    /// An entry of the metadata was set.
    case update = 0
    /// An entry of the metadata was removed.
    case remove = 1
}

/// The kinds of changes of an open channel's participants.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelParticipantActionType)
#endif
public enum OpenChannelParticipantActionType: Int, Sendable {
    /// The user left.
    case leave = 0
    /// The user entered.
    case join = 1
}

/// The ways in which users of open channels are muted and unmuted.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMuteType)
#endif
public enum OpenChannelMuteType: Int, Sendable {
    /// Users may send messages to the channel again.
    case unmuteUsers = 0
    /// Users may not send messages to the channel.
    case muteUsers = 1
    /// All users may send messages to the channel again.
    case unmuteAll = 2
    /// Only users on the allowlist may send messages to the channel.
    case muteAll = 3
    /// Users were removed from the allowlist of the channel.
    case removeAllowlist = 4
    /// Users were added to the allowlist of the channel.
    case addAllowlist = 5
    /// Users may send messages to open channels of the application again.
    case unmuteGlobal = 6
    /// Users may not send messages to any open channel of the application.
    case muteGlobal = 7
}

/// Whether another device of the user entered or left an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelSyncStatus)
#endif
public enum OpenChannelSyncStatus: Int, Sendable {
    /// The user left the channel.
    case quit = 0
    /// The user entered the channel.
    case join = 1
}

/// The reason why a user entered or left an open channel on another device.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelSyncReason)
#endif
public enum OpenChannelSyncReason: Int, Sendable {
    /// The user left the channel on another device, by a request of the application there.
    case leaveOnMyOwn = 1
    /// The user entered the channel on another device, or left it because another device of the user entered another open channel.
    case otherDeviceLogin = 2
}
