import Foundation

/// Entering has begun.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnteringEvent) @objcMembers
#endif
public final class OpenChannelEnteringEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// The event that the user has entered an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnteredEvent) @objcMembers
#endif
public final class OpenChannelEnteredEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// The channel's data at the moment of entering. Never nil with Lifeline's server.
    public let response: OpenChannelEnterResponseInfo?

    init(channelId: String, response: OpenChannelEnterResponseInfo?) {
        self.channelId = channelId
        self.response = response
        super.init()
    }
}

/// The event that the user could not enter an open channel, or could not enter it again after a reconnect.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelEnterFailedEvent) @objcMembers
#endif
public final class OpenChannelEnterFailedEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// The reason.
    public let error: NCError

    init(channelId: String, error: NCError) {
        self.channelId = channelId
        self.error = error
        super.init()
    }
}

/// The event that messages of an open channel may have been lost together with the connection.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelResetEvent) @objcMembers
#endif
public final class OpenChannelResetEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// The event that the user has left an open channel.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelExitedEvent) @objcMembers
#endif
public final class OpenChannelExitedEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}

/// The event that an open channel was destroyed.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelDestroyedEvent) @objcMembers
#endif
public final class OpenChannelDestroyedEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String
    /// How the channel was destroyed: by the application's server, or by the service.
    public let destroyType: OpenChannelDestroyType

    init(channelId: String, destroyType: OpenChannelDestroyType) {
        self.channelId = channelId
        self.destroyType = destroyType
        super.init()
    }
}

/// The event that the metadata of an open channel arrived, after the user had entered it.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMetadataSyncedEvent) @objcMembers
#endif
public final class OpenChannelMetadataSyncedEvent: NSObject, Sendable {
    /// The id of the open channel that the event concerns.
    public let channelId: String

    init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}
