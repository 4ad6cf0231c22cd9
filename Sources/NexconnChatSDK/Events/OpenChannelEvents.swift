import Foundation

// `@unchecked Sendable` of the classes in this file: immutable.

/// Entering has begun.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnteringEvent) @objcMembers
#endif
public final class OpenChannelEnteringEvent: NSObject, @unchecked Sendable {
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
public final class OpenChannelEnteredEvent: NSObject, @unchecked Sendable {
    public let channelId: String
    /// What the channel is like; always there with this service.
    public let response: OpenChannelEnterResponseInfo?

    init(channelId: String, response: OpenChannelEnterResponseInfo?) {
        self.channelId = channelId
        self.response = response
        super.init()
    }
}

/// The user could not enter, or not come back.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnterFailedEvent) @objcMembers
#endif
public final class OpenChannelEnterFailedEvent: NSObject, @unchecked Sendable {
    public let channelId: String
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
public final class OpenChannelResetEvent: NSObject, @unchecked Sendable {
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// The user has left.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelExitedEvent) @objcMembers
#endif
public final class OpenChannelExitedEvent: NSObject, @unchecked Sendable {
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// A channel is gone.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelDestroyedEvent) @objcMembers
#endif
public final class OpenChannelDestroyedEvent: NSObject, @unchecked Sendable {
    public let channelId: String
    public let destroyType: OpenChannelDestroyType

    init(channelId: String, destroyType: OpenChannelDestroyType) {
        self.channelId = channelId
        self.destroyType = destroyType
        super.init()
    }
}

/// A channel's metadata have come for the first time after entering.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataSyncedEvent) @objcMembers
#endif
public final class OpenChannelMetadataSyncedEvent: NSObject, @unchecked Sendable {
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}
