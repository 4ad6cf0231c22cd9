import ChatDatabase
import Foundation
import NexconnProtocol

/// A channel: somewhere to send to, and what this device knows of it.
///
/// The properties describe the moment at which the object was made; ``reload(completion:)`` gives a new one. A channel that was made
/// by its id knows nothing yet. May be used from any thread; no method blocks. Every completion is called once, on the callback
/// queue (rule NH-1).
///
/// `@unchecked Sendable`, here and in all subclasses: immutable.
#if canImport(ObjectiveC)
    @objc(NCBaseChannel) @objcMembers
#endif
open class BaseChannel: NSObject, @unchecked Sendable {
    let engine: ChatEngine
    let local: LocalChannel

    /// Nil for an id that no channel can have: without characters, with more than 64, or with control characters.
    init?(_ conversation: NexconnConversation, id: String) {
        guard ChannelIdentifier.isValid(id) else { return nil }
        engine = NCEngine.engine
        local = LocalChannel(channel: NexconnChannel(conversation, id))
        super.init()
    }

    init(local: LocalChannel, engine: ChatEngine) {
        self.engine = engine
        self.local = local
        super.init()
    }

    /// The object of the class that fits.
    static func make(_ local: LocalChannel, _ engine: ChatEngine) -> BaseChannel {
        switch local.channel.conversation {
        case .direct: DirectChannel(local: local, engine: engine)
        case .group: GroupChannel(local: local, engine: engine)
        case .open: OpenChannel(local: local, engine: engine)
        case .system: SystemChannel(local: local, engine: engine)
        }
    }

    /// The channel as the session names it.
    final var channel: NexconnChannel { local.channel }

    public final var channelType: ChannelType { ChannelType(channel.conversation) }
    /// The other user, the group, the open channel, or who sends the system's messages.
    public final var channelId: String { channel.id }
    public final var identifier: ChannelIdentifier { ChannelIdentifier(channel) }

    public final var unreadCount: Int { local.unread }
    /// How many of the unread messages mention the user.
    public final var mentionedCount: Int { local.mentions }
    public final var isPinned: Bool { local.isPinned }
    public final var noDisturbLevel: ChannelNoDisturbLevel { ChannelNoDisturbLevel(rawValue: local.level) ?? .defaultLevel }
    /// What lists of channels are sorted by, ms since 1970.
    public final var operationTime: Int64 { local.operationTime }
    /// What the user has begun to write.
    public final var draft: String { local.draft }
    public final var latestMessage: Message? {
        local.latest.map { Message($0, user: engine.client?.user ?? "") }
    }
}

/// The channel with another user.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCDirectChannel) @objcMembers
#endif
public final class DirectChannel: BaseChannel, @unchecked Sendable {
    /// - Parameter channelId: the other user. Nil for an id that no user can have.
    public init?(channelId: String) { super.init(.direct, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// A group.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCGroupChannel) @objcMembers
#endif
public final class GroupChannel: BaseChannel, @unchecked Sendable {
    /// Nil for an id that no group can have.
    public init?(channelId: String) { super.init(.group, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// An open channel: whoever enters takes part.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCOpenChannel) @objcMembers
#endif
public final class OpenChannel: BaseChannel, @unchecked Sendable {
    /// Nil for an id that no open channel can have.
    public init?(channelId: String) { super.init(.open, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}

/// The channel of the system's messages. Receives only.
///
/// `@unchecked Sendable`: as ``BaseChannel``.
#if canImport(ObjectiveC)
    @objc(NCSystemChannel) @objcMembers
#endif
public final class SystemChannel: BaseChannel, @unchecked Sendable {
    /// Nil for an id that no sender can have.
    public init?(channelId: String) { super.init(.system, id: channelId) }

    override init(local: LocalChannel, engine: ChatEngine) { super.init(local: local, engine: engine) }
}
