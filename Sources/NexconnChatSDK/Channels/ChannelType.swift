import Foundation
import NexconnProtocol

/// What kind of channel. The numbers are those of the vendor's family of services.
#if canImport(ObjectiveC)
    @objc(NCChannelType)
#endif
public enum ChannelType: Int, Sendable, CaseIterable {
    case direct = 1
    case group = 3
    case open = 4
    case system = 6
    case community = 10

    /// Nil for kinds that the session does not carry.
    var conversation: NexconnConversation? { NexconnConversation(rawValue: rawValue) }

    init(_ conversation: NexconnConversation) {
        switch conversation {
        case .direct: self = .direct
        case .group: self = .group
        case .open: self = .open
        case .system: self = .system
        }
    }
}

/// How much a channel may disturb. The numbers are those of the session document, section 6.
#if canImport(ObjectiveC)
    @objc(NCChannelNoDisturbLevel)
#endif
public enum ChannelNoDisturbLevel: Int, Sendable, CaseIterable {
    /// Everything notifies, whatever the kind of channel says.
    case allMessage = -1
    /// As the kind of channel says.
    case defaultLevel = 0
    /// Mentions notify, of all or of oneself.
    case mention = 1
    /// Mentions of oneself notify.
    case mentionUsers = 2
    /// Mentions of all notify.
    case mentionAll = 4
    /// Nothing notifies.
    case muted = 5

    /// Another name of ``muted``.
    public static var blocked: ChannelNoDisturbLevel { .muted }
    /// Another name of ``defaultLevel``.
    public static var none: ChannelNoDisturbLevel { .defaultLevel }
}
