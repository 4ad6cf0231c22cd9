import ChatProtocol
import Foundation

/// The kinds of channels. The raw values are those of the vendor's services.
#if canImport(ObjectiveC)
    @objc(NCChannelType)
#endif
public enum ChannelType: Int, Sendable, CaseIterable {
    /// A conversation with one other user.
    case direct = 1
    /// A conversation of a group's members.
    case group = 3
    /// An open channel, which users enter and leave.
    case open = 4
    /// Messages that the application's server sends to the user.
    case system = 6
    /// The vendor's communities, which this service does not support.
    case community = 10

    /// The chat session's kind of conversation; nil for types that the session does not support.
    var conversation: ChatConversationKind? { ChatConversationKind(rawValue: rawValue) }

    init(_ conversation: ChatConversationKind) {
        switch conversation {
        case .direct: self = .direct
        case .group: self = .group
        case .open: self = .open
        case .system: self = .system
        }
    }
}

/// The do-not-disturb level of a channel: which of its messages notify the user.
#if canImport(ObjectiveC)
    @objc(NCChannelNoDisturbLevel)
#endif
public enum ChannelNoDisturbLevel: Int, Sendable, CaseIterable {
    /// All messages notify, regardless of the level of the channel's type.
    case allMessage = -1
    /// The channel has no level of its own: the level of its channel type decides which messages notify.
    case defaultLevel = 0
    /// Only messages that mention everybody or the user notify.
    case mention = 1
    /// Only messages that mention the user notify.
    case mentionUsers = 2
    /// Only messages that mention everybody notify.
    case mentionAll = 4
    /// No message notifies.
    case muted = 5

    /// Another name of ``muted``.
    public static var blocked: ChannelNoDisturbLevel { .muted }
    /// Another name of ``defaultLevel``.
    public static var none: ChannelNoDisturbLevel { .defaultLevel }
}
