import Foundation

#if canImport(ObjectiveC)
    /// Receives events of the user's channels. Every method is optional.
    @objc(NCChannelHandler) public protocol ChannelHandler: AnyObject {
        @objc optional func onChannelPinnedSync(_ event: ChannelPinnedSyncEvent)
        @objc optional func onChannelNoDisturbLevelSync(_ event: ChannelNoDisturbLevelSyncEvent)
        @objc optional func onChannelUnreadStatusSync(_ event: ChannelUnreadStatusSyncEvent)
        @objc optional func onTypingStatusChanged(_ event: TypingStatusChangedEvent)
        @objc optional func onRemoteChannelsSyncCompleted(_ event: RemoteChannelsSyncCompletedEvent)
    }
#else
    /// Receives events of the user's channels. Every method is optional.
    ///
    /// The methods are called on the callback queue, in the order of the events (rule NC-20).
    public protocol ChannelHandler: AnyObject {
        /// Another device of the user pinned or unpinned a channel.
        func onChannelPinnedSync(_ event: ChannelPinnedSyncEvent)
        /// Another device of the user set the do-not-disturb level of a channel.
        func onChannelNoDisturbLevelSync(_ event: ChannelNoDisturbLevelSyncEvent)
        /// Another device of the user has marked the messages of a channel as read.
        func onChannelUnreadStatusSync(_ event: ChannelUnreadStatusSyncEvent)
        /// A user has begun or stopped typing.
        func onTypingStatusChanged(_ event: TypingStatusChangedEvent)
        /// ``BaseChannel/syncRemoteChannels(completion:)`` has ended.
        func onRemoteChannelsSyncCompleted(_ event: RemoteChannelsSyncCompletedEvent)
    }

    extension ChannelHandler {
        public func onChannelPinnedSync(_ event: ChannelPinnedSyncEvent) {}
        public func onChannelNoDisturbLevelSync(_ event: ChannelNoDisturbLevelSyncEvent) {}
        public func onChannelUnreadStatusSync(_ event: ChannelUnreadStatusSyncEvent) {}
        public func onTypingStatusChanged(_ event: TypingStatusChangedEvent) {}
        public func onRemoteChannelsSyncCompleted(_ event: RemoteChannelsSyncCompletedEvent) {}
    }
#endif

/// The event that another device of the user pinned or unpinned a channel.
#if canImport(ObjectiveC)
    @objc(NCChannelPinnedSyncEvent) @objcMembers
#endif
public final class ChannelPinnedSyncEvent: NSObject, Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// Whether the channel is pinned now.
    public let isPinned: Bool

    init(channelIdentifier: ChannelIdentifier, isPinned: Bool) {
        self.channelIdentifier = channelIdentifier
        self.isPinned = isPinned
        super.init()
    }
}

/// The event that another device of the user set the do-not-disturb level of a channel.
#if canImport(ObjectiveC)
    @objc(NCChannelNoDisturbLevelSyncEvent) @objcMembers
#endif
public final class ChannelNoDisturbLevelSyncEvent: NSObject, Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// The new level.
    public let level: ChannelNoDisturbLevel

    init(channelIdentifier: ChannelIdentifier, level: ChannelNoDisturbLevel) {
        self.channelIdentifier = channelIdentifier
        self.level = level
        super.init()
    }
}

/// The event that another device of the user has marked the messages of a channel as read.
#if canImport(ObjectiveC)
    @objc(NCChannelUnreadStatusSyncEvent) @objcMembers
#endif
public final class ChannelUnreadStatusSyncEvent: NSObject, Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// The time up to which messages count as read, in milliseconds since 1970.
    public let timestamp: Int64

    init(channelIdentifier: ChannelIdentifier, timestamp: Int64) {
        self.channelIdentifier = channelIdentifier
        self.timestamp = timestamp
        super.init()
    }
}

/// The event that a user has begun or stopped typing in a channel.
#if canImport(ObjectiveC)
    @objc(NCTypingStatusChangedEvent) @objcMembers
#endif
public final class TypingStatusChangedEvent: NSObject, Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// All users who are typing in the channel now; empty when nobody is typing.
    public let userTypingStatus: [UserTypingStatus]

    init(channelIdentifier: ChannelIdentifier, userTypingStatus: [UserTypingStatus]) {
        self.channelIdentifier = channelIdentifier
        self.userTypingStatus = userTypingStatus
        super.init()
    }
}

/// A user who is typing.
#if canImport(ObjectiveC)
    @objc(NCUserTypingStatus) @objcMembers
#endif
public final class UserTypingStatus: NSObject, Sendable {
    /// The user's id.
    public let userId: String
    /// The type of the message that the user is writing, such as `RC:TxtMsg`.
    public let contentType: String
    /// When the user's device reported the typing, in milliseconds since 1970.
    public let sentTime: Int64

    init(userId: String, contentType: String, sentTime: Int64) {
        self.userId = userId
        self.contentType = contentType
        self.sentTime = sentTime
        super.init()
    }
}

/// The event that the channels' settings were fetched from the server, or could not be fetched.
#if canImport(ObjectiveC)
    @objc(NCRemoteChannelsSyncCompletedEvent) @objcMembers
#endif
public final class RemoteChannelsSyncCompletedEvent: NSObject, Sendable {
    /// Why the settings could not be fetched; nil for success.
    public let error: NCError?

    init(error: NCError?) {
        self.error = error
        super.init()
    }
}
