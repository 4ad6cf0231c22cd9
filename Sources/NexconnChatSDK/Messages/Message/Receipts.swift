import Foundation
import NexconnProtocol

/// How far a message has been read.
#if canImport(ObjectiveC)
    @objc(NCMessageReadReceiptInfo) @objcMembers
#endif
public final class MessageReadReceiptInfo: NSObject, Sendable {
    public let channelIdentifier: ChannelIdentifier
    public let messageId: String
    public let readCount: Int
    public let unreadCount: Int
    /// How many people it was meant for.
    public let totalCount: Int

    init(_ receipt: NexconnReceipt, in channel: NexconnChannel) {
        channelIdentifier = ChannelIdentifier(channel)
        messageId = receipt.id.description
        readCount = receipt.read
        unreadCount = receipt.unread
        totalCount = receipt.total
        super.init()
    }
}

/// About whom to ask whether they have read a message.
#if canImport(ObjectiveC)
    @objc(NCMessagesReadReceiptByUsersParams) @objcMembers
#endif
public final class MessagesReadReceiptByUsersParams: NSObject, Sendable {
    public let messageId: String
    public let userIds: [String]

    public init(messageId: String, userIds: [String]) {
        self.messageId = messageId
        self.userIds = userIds
        super.init()
    }
}

/// Readers of a message to list.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCMessagesReadReceiptUsersQueryParams) @objcMembers
#endif
public final class MessagesReadReceiptUsersQueryParams: NSObject, @unchecked Sendable {
    public let channelIdentifier: ChannelIdentifier
    public let messageId: String
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 20

    public init(channelIdentifier: ChannelIdentifier, messageId: String) {
        self.channelIdentifier = channelIdentifier
        self.messageId = messageId
        super.init()
    }
}

public typealias MessagesReadReceiptUsersQuery = PagedQuery<MessageReceiptUser>

extension NexconnMessageID {
    /// The ids of messages as the API has them: 1 … 100.
    static func list(_ ids: [String]) throws(NCError) -> [NexconnMessageID] {
        guard (1...100).contains(ids.count) else {
            throw NCError(.badArgument, reason: "Messages are named 1 to 100 at a time.")
        }
        var list: [NexconnMessageID] = []
        for id in ids { list.append(try one(id)) }
        return list
    }

    static func one(_ id: String) throws(NCError) -> NexconnMessageID {
        guard let known = NexconnMessageID(id) else {
            throw NCError(.noSuchMessage, reason: "This is no id of a message; messages that are on their way have none.")
        }
        return known
    }
}
