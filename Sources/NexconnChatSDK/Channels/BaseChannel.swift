import ChatDatabase
import ChatProtocol
import Foundation

/// A conversation: messages are sent to it, and its properties hold this device's data about it.
///
/// The properties describe the moment at which the object was made; ``reload(completion:)`` returns a new object. A channel that was
/// made from its id has default values. May be used from any thread; no method blocks. Every completion is called once, on the callback
/// queue, which is ``InitParams/callbackQueue`` (rule NH-1).
///
/// `@unchecked Sendable`, here and in all subclasses: immutable.
#if canImport(ObjectiveC)
    @objc(NCBaseChannel) @objcMembers
#endif
open class BaseChannel: NSObject, @unchecked Sendable {
    let engine: ChatEngine
    let local: LocalChannel

    /// Nil for an invalid id: empty, longer than 64 characters, or with control characters.
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

    /// Makes an object of the class for the channel's type.
    static func make(_ local: LocalChannel, _ engine: ChatEngine) -> BaseChannel {
        switch local.channel.conversation {
        case .direct: DirectChannel(local: local, engine: engine)
        case .group: GroupChannel(local: local, engine: engine)
        case .open: OpenChannel(local: local, engine: engine)
        case .system: SystemChannel(local: local, engine: engine)
        }
    }

    /// The channel as the session identifies it.
    final var channel: ChatChannel { local.channel }

    /// The type of the channel.
    public final var channelType: ChannelType { ChannelType(channel.conversation) }
    /// The id of the other user, the group, the open channel, or the sender of system messages.
    public final var channelId: String { channel.id }
    /// The channel's type and id as one value.
    public final var identifier: ChannelIdentifier { ChannelIdentifier(channel) }

    /// How many received messages are unread.
    public final var unreadCount: Int { local.unread }
    /// How many of the unread messages mention the user.
    public final var mentionedCount: Int { local.mentions }
    /// Whether the channel is pinned to the top of the list.
    public final var isPinned: Bool { local.isPinned }
    /// The channel's own do-not-disturb level.
    public final var noDisturbLevel: ChannelNoDisturbLevel { ChannelNoDisturbLevel(rawValue: local.level) ?? .defaultLevel }
    /// The time by which lists of channels are sorted, milliseconds since 1970.
    public final var operationTime: Int64 { local.operationTime }
    /// The text that the user has begun to write; empty when there is none.
    public final var draft: String { local.draft }
    /// The newest message; nil when this device has none.
    public final var latestMessage: Message? {
        local.latest.map { Message($0, user: engine.client?.user ?? "") }
    }
}

/// A conversation with one other user.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCDirectChannel) @objcMembers
#endif
public final class DirectChannel: BaseChannel, @unchecked Sendable {
    /// A conversation with the user `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.direct, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// A conversation of a group's members, and the group itself. Every completion is called once, on the callback queue.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCGroupChannel) @objcMembers
#endif
public final class GroupChannel: BaseChannel, @unchecked Sendable {
    /// The group `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.group, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// An open channel: every user who enters it takes part. Every completion is called once, on the callback queue.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCOpenChannel) @objcMembers
#endif
public final class OpenChannel: BaseChannel, @unchecked Sendable {
    /// The open channel `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.open, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// Messages that the application's server sends to the user. Receives only.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCSystemChannel) @objcMembers
#endif
public final class SystemChannel: BaseChannel, @unchecked Sendable {
    /// The channel of the sender `channelId`; nil for an invalid id.
    public init?(channelId: String) { super.init(.system, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}
