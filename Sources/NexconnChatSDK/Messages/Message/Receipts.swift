import ChatProtocol
import Foundation

/// How many receivers have read a message.
#if canImport(ObjectiveC)
    @objc(NCMessageReadReceiptInfo) @objcMembers
#endif
public final class MessageReadReceiptInfo: NSObject, Sendable {
    /// The message's channel.
    public let channelIdentifier: ChannelIdentifier
    /// The service's id of the message.
    public let messageId: String
    /// How many receivers have read the message.
    public let readCount: Int
    /// How many receivers have not read the message.
    public let unreadCount: Int
    /// How many receivers the message has.
    public let totalCount: Int

    init(_ receipt: ChatReadCounts, in channel: ChatChannel) {
        channelIdentifier = ChannelIdentifier(channel)
        messageId = receipt.id.description
        readCount = receipt.read
        unreadCount = receipt.unread
        totalCount = receipt.total
        super.init()
    }
}

/// The parameters that select a message and users. The result says which of these users have read the message.
#if canImport(ObjectiveC)
    @objc(NCMessagesReadReceiptByUsersParams) @objcMembers
#endif
public final class MessagesReadReceiptByUsersParams: NSObject, Sendable {
    /// The service's id of the message.
    public let messageId: String
    /// The users' ids.
    public let userIds: [String]

    /// Creates parameters that select one message and these users.
    public init(messageId: String, userIds: [String]) {
        self.messageId = messageId
        self.userIds = userIds
        super.init()
    }
}

/// The parameters that select a message whose readers are listed.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCMessagesReadReceiptUsersQueryParams) @objcMembers
#endif
public final class MessagesReadReceiptUsersQueryParams: NSObject, @unchecked Sendable {
    /// The message's channel.
    public let channelIdentifier: ChannelIdentifier
    /// The service's id of the message.
    public let messageId: String
    /// How many readers a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20

    /// Creates parameters that select all readers of a message.
    public init(channelIdentifier: ChannelIdentifier, messageId: String) {
        self.channelIdentifier = channelIdentifier
        self.messageId = messageId
        super.init()
    }
}

/// A list of the users who have read a message, loaded page by page.
public typealias MessagesReadReceiptUsersQuery = PagedQuery<MessageReceiptUser>

extension ChatMessageID {
    /// Parses 1 to 100 message ids that the application has passed.
    static func list(_ ids: [String]) throws(NCError) -> [ChatMessageID] {
        guard (1...100).contains(ids.count) else {
            throw NCError(.badArgument, reason: "Pass 1 to 100 message ids in one call.")
        }
        var list: [ChatMessageID] = []
        for id in ids { list.append(try one(id)) }
        return list
    }

    static func one(_ id: String) throws(NCError) -> ChatMessageID {
        guard let known = ChatMessageID(id) else {
            throw NCError(
                .noSuchMessage, reason: "The messageId is not valid; a message that is still being sent has no id yet.")
        }
        return known
    }
}
