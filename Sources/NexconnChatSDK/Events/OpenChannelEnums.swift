import Foundation

/// The ways in which an open channel is destroyed.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelDestroyType)
#endif
public enum OpenChannelDestroyType: Int, Sendable {
    /// The application's server destroyed it.
    case manual = 0
    /// The service destroyed it after a time without participants and messages.
    case auto = 3
}

/// The kinds of changes of an open channel's metadata.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataOperationType)
#endif
public enum OpenChannelMetadataOperationType: Int, Sendable {
    /// A pair was set.
    case update = 0
    /// A pair was removed.
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

/// The kinds of changes of who may send messages to open channels.
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

/// Another device of the user entered or left an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelSyncStatus)
#endif
public enum OpenChannelSyncStatus: Int, Sendable {
    /// The user left.
    case quit = 0
    /// The user entered.
    case join = 1
}

/// The reason why the user entered or left.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelSyncReason)
#endif
public enum OpenChannelSyncReason: Int, Sendable {
    /// The user did it on another device.
    case leaveOnMyOwn = 1
    /// Another device entered another open channel, which ended the stay in this one.
    case otherDeviceLogin = 2
}
