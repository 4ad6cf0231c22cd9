import Foundation

/// Entering has begun.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnteringEvent) @objcMembers
#endif
public final class OpenChannelEnteringEvent: NSObject, Sendable {
    /// The open channel's id.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// The user is in an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnteredEvent) @objcMembers
#endif
public final class OpenChannelEnteredEvent: NSObject, Sendable {
    /// The open channel's id.
    public let channelId: String
    /// The channel's data; never nil with this service.
    public let response: OpenChannelEnterResponseInfo?

    init(channelId: String, response: OpenChannelEnterResponseInfo?) {
        self.channelId = channelId
        self.response = response
        super.init()
    }
}

/// The user could not enter an open channel, or could not come back after a reconnect.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnterFailedEvent) @objcMembers
#endif
public final class OpenChannelEnterFailedEvent: NSObject, Sendable {
    /// The open channel's id.
    public let channelId: String
    /// The reason.
    public let error: NCError

    init(channelId: String, error: NCError) {
        self.channelId = channelId
        self.error = error
        super.init()
    }
}

/// After a loss of the connection messages of the channel may be missing.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelResetEvent) @objcMembers
#endif
public final class OpenChannelResetEvent: NSObject, Sendable {
    /// The open channel's id.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// The user has left an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelExitedEvent) @objcMembers
#endif
public final class OpenChannelExitedEvent: NSObject, Sendable {
    /// The open channel's id.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// An open channel was destroyed.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelDestroyedEvent) @objcMembers
#endif
public final class OpenChannelDestroyedEvent: NSObject, Sendable {
    /// The open channel's id.
    public let channelId: String
    /// How it was destroyed.
    public let destroyType: OpenChannelDestroyType

    init(channelId: String, destroyType: OpenChannelDestroyType) {
        self.channelId = channelId
        self.destroyType = destroyType
        super.init()
    }
}

/// A channel's metadata has arrived for the first time after entering.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataSyncedEvent) @objcMembers
#endif
public final class OpenChannelMetadataSyncedEvent: NSObject, Sendable {
    /// The open channel's id.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}
