import ChatProtocol
import Foundation
import Identifiers

/// The type and id of a channel. Two identifiers are equal when their types are equal and their ids have the same bytes.
///
/// `@unchecked Sendable`: no property changes after creation.
#if canImport(ObjectiveC)
    @objc(NCChannelIdentifier) @objcMembers
#endif
open class ChannelIdentifier: NSObject, @unchecked Sendable {
    /// The type of the channel.
    public final let channelType: ChannelType
    /// The id of the conversation: that of the other user, the group, the open channel, or the sender of system messages.
    public final let channelId: String

    /// Creates an identifier from a channel's type and id.
    public init(channelType: ChannelType, channelId: String) {
        self.channelType = channelType
        self.channelId = channelId
        super.init()
    }

    convenience init(_ channel: ChatChannel) {
        self.init(channelType: ChannelType(channel.conversation), channelId: channel.id)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ChannelIdentifier else { return false }
        return channelType == other.channelType && channelId.isExactly(other.channelId)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(channelType)
        hasher.combine(Identifier(channelId))
        return hasher.finalize()
    }

    /// The channel in the form that the chat session uses. Nil for an invalid id, and for communities, which the session does not support.
    var channel: ChatChannel? {
        guard let conversation = channelType.conversation, ChannelIdentifier.isValid(channelId) else { return nil }
        return ChatChannel(conversation, channelId)
    }

    /// Whether an id is valid for a user, group or channel: 1 to 64 characters, none of them a control character.
    static func isValid(_ id: String) -> Bool {
        (1...64).contains(id.count) && !id.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

/// Identifies a message by its id and its channel.
#if canImport(ObjectiveC)
    @objc(NCMessageIdentifier) @objcMembers
#endif
public final class MessageIdentifier: NSObject, Sendable {
    /// The message's channel.
    public let channelIdentifier: ChannelIdentifier
    /// The service's id of the message.
    public let messageId: String

    /// Creates an identifier from a channel and a message id.
    public init(channelIdentifier: ChannelIdentifier, messageId: String) {
        self.channelIdentifier = channelIdentifier
        self.messageId = messageId
        super.init()
    }
}
