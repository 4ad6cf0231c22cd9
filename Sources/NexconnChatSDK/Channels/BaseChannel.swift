import ChatDatabase
import ChatProtocol
import Foundation

/// A conversation. Its functions send messages, and its properties hold this device's data about it.
///
/// The properties describe the moment at which the object was created; ``reload(completion:)`` returns a new object. An object that was
/// created from an id has default values. May be used from any thread; no method blocks. Every completion is called once, on the callback
/// queue, which is ``InitParams/callbackQueue`` (rule NH-1).
///
/// `@unchecked Sendable`, here and in all subclasses: no property changes after creation.
#if canImport(ObjectiveC)
    @objc(NCBaseChannel) @objcMembers
#endif
open class BaseChannel: NSObject, @unchecked Sendable {
    let engine: ChatEngine
    let local: LocalChannel

    /// Returns nil for an invalid id: an id that is empty, has more than 64 characters, or contains control characters.
    init?(_ conversation: ChatConversationKind, id: String) {
        guard ChannelIdentifier.isValid(id) else { return nil }
        engine = NCEngine.engine
        local = LocalChannel(channel: ChatChannel(conversation, id))
        super.init()
    }

    init(local: LocalChannel, engine: ChatEngine) {
        self.engine = engine
        self.local = local
        super.init()
    }

    /// Creates an object of the class that represents the channel's type.
    static func make(_ local: LocalChannel, _ engine: ChatEngine) -> BaseChannel {
        switch local.channel.conversation {
        case .direct: DirectChannel(local: local, engine: engine)
        case .group: GroupChannel(local: local, engine: engine)
        case .open: OpenChannel(local: local, engine: engine)
        case .system: SystemChannel(local: local, engine: engine)
        }
    }

    /// The channel in the form that the chat session uses.
    final var channel: ChatChannel { local.channel }

    /// The type of the channel.
    public final var channelType: ChannelType { ChannelType(channel.conversation) }
    /// The id of the conversation: that of the other user, the group, the open channel, or the sender of system messages.
    public final var channelId: String { channel.id }
    /// The channel's type and id as one value.
    public final var identifier: ChannelIdentifier { ChannelIdentifier(channel) }

    /// How many received messages of the channel are unread.
    public final var unreadCount: Int { local.unread }
    /// How many of the unread messages mention the user.
    public final var mentionedCount: Int { local.mentions }
    /// Whether the channel is pinned to the top of the list of channels.
    public final var isPinned: Bool { local.isPinned }
    /// The channel's own do-not-disturb level; `defaultLevel` when it has none.
    public final var noDisturbLevel: ChannelNoDisturbLevel { ChannelNoDisturbLevel(rawValue: local.level) ?? .defaultLevel }
    /// The time by which lists of channels are sorted, in milliseconds since 1970.
    public final var operationTime: Int64 { local.operationTime }
    /// The unsent text that the user has begun to write in the channel; empty when there is none.
    public final var draft: String { local.draft }
    /// The newest message of the channel on this device; nil when there is none.
    public final var latestMessage: Message? {
        local.latest.map { Message($0, user: engine.client?.user ?? "") }
    }
}

/// A conversation with one other user.
///
/// `@unchecked Sendable`: no property changes after creation.
#if canImport(ObjectiveC)
    @objc(NCDirectChannel) @objcMembers
#endif
public final class DirectChannel: BaseChannel, @unchecked Sendable {
    /// Creates an object for the conversation with the user `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.direct, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// A group and the conversation of its members. Every completion is called once, on the callback queue.
///
/// `@unchecked Sendable`: no property changes after creation.
#if canImport(ObjectiveC)
    @objc(NCGroupChannel) @objcMembers
#endif
public final class GroupChannel: BaseChannel, @unchecked Sendable {
    /// Creates an object for the group `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.group, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// An open channel: a conversation of all users who have entered it. Every completion is called once, on the callback queue.
///
/// `@unchecked Sendable`: no property changes after creation.
#if canImport(ObjectiveC)
    @objc(NCOpenChannel) @objcMembers
#endif
public final class OpenChannel: BaseChannel, @unchecked Sendable {
    /// Creates an object for the open channel `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.open, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// A channel with messages that the application's server sends to the user. The user cannot send messages to it.
///
/// `@unchecked Sendable`: no property changes after creation.
#if canImport(ObjectiveC)
    @objc(NCSystemChannel) @objcMembers
#endif
public final class SystemChannel: BaseChannel, @unchecked Sendable {
    /// Creates an object for the system messages of the sender `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.system, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}
