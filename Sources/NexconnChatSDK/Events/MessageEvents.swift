import Foundation

/// The event that a message was received.
#if canImport(ObjectiveC)
    @objc(NCMessageReceivedEvent) @objcMembers
#endif
public final class MessageReceivedEvent: NSObject, Sendable {
    /// The received message.
    public let message: Message
    /// How many further messages of the same package follow; 0 for a single message.
    public let left: Int
    /// Whether the message was missed earlier and was fetched after the connection was established.
    public let offline: Bool
    /// Whether more packages of missed messages follow. If `left` is 0 and `hasPackage` is false, all missed messages have arrived.
    public let hasPackage: Bool

    init(message: Message, left: Int, offline: Bool, hasPackage: Bool) {
        self.message = message
        self.left = left
        self.offline = offline
        self.hasPackage = hasPackage
        super.init()
    }
}

/// The event that messages were deleted for everybody. They were also removed from the local database.
#if canImport(ObjectiveC)
    @objc(NCMessageDeletedEvent) @objcMembers
#endif
public final class MessageDeletedEvent: NSObject, Sendable {
    /// The deleted messages, as they were before the deletion.
    public let messages: [Message]

    init(messages: [Message]) {
        self.messages = messages
        super.init()
    }
}

/// Messages were edited.
#if canImport(ObjectiveC)
    @objc(NCMessagesUpdatedEvent) @objcMembers
#endif
public final class MessagesUpdatedEvent: NSObject, Sendable {
    /// The edited messages.
    public let messages: [Message]

    init(messages: [Message]) {
        self.messages = messages
        super.init()
    }
}

/// The event that metadata of a message was set.
#if canImport(ObjectiveC)
    @objc(NCMessageMetadataUpdatedEvent) @objcMembers
#endif
public final class MessageMetadataUpdatedEvent: NSObject, Sendable {
    /// The metadata pairs that this change set.
    public let metadata: [String: String]
    /// The message with its metadata after the change.
    public let message: Message

    init(metadata: [String: String], message: Message) {
        self.metadata = metadata
        self.message = message
        super.init()
    }
}

/// The event that metadata of a message was deleted.
#if canImport(ObjectiveC)
    @objc(NCMessageMetadataDeletedEvent) @objcMembers
#endif
public final class MessageMetadataDeletedEvent: NSObject, Sendable {
    /// The message with its metadata after the change.
    public let message: Message
    /// The deleted keys.
    public let keys: [String]

    init(message: Message, keys: [String]) {
        self.message = message
        self.keys = keys
        super.init()
    }
}

/// The event that receivers have read messages of the signed-in user.
#if canImport(ObjectiveC)
    @objc(NCMessageReceiptResponseEvent) @objcMembers
#endif
public final class MessageReceiptResponseEvent: NSObject, Sendable {
    /// The read receipts, one entry for each message.
    public let responses: [MessageReceiptResponse]

    init(responses: [MessageReceiptResponse]) {
        self.responses = responses
        super.init()
    }
}

/// How many receivers have read a message.
#if canImport(ObjectiveC)
    @objc(NCMessageReceiptResponse) @objcMembers
#endif
public final class MessageReceiptResponse: NSObject, Sendable {
    /// The service's id of the message.
    public let messageId: String
    /// The message's channel.
    public let channelIdentifier: ChannelIdentifier
    /// How many receivers have read the message.
    public let readCount: Int
    /// How many receivers have not read the message.
    public let unreadCount: Int
    /// How many receivers the message has.
    public let totalCount: Int
    /// The receivers who have just read the message.
    public let users: [MessageReceiptUser]

    init(
        messageId: String, channelIdentifier: ChannelIdentifier, readCount: Int, unreadCount: Int, totalCount: Int,
        users: [MessageReceiptUser]
    ) {
        self.messageId = messageId
        self.channelIdentifier = channelIdentifier
        self.readCount = readCount
        self.unreadCount = unreadCount
        self.totalCount = totalCount
        self.users = users
        super.init()
    }
}

/// A user who has read a message.
#if canImport(ObjectiveC)
    @objc(NCMessageReceiptUser) @objcMembers
#endif
public final class MessageReceiptUser: NSObject, Sendable {
    /// The user's id.
    public let userId: String
    /// When the user read the message, in milliseconds since 1970.
    public let timestamp: Int64
    /// Whether the message mentions the user; false when this is unknown.
    public let isMentioned: Bool

    init(userId: String, timestamp: Int64, isMentioned: Bool = false) {
        self.userId = userId
        self.timestamp = timestamp
        self.isMentioned = isMentioned
        super.init()
    }
}

/// The event that messages may have been lost.
#if canImport(ObjectiveC)
    @objc(NCMessagesMissedEvent) @objcMembers
#endif
public final class MessagesMissedEvent: NSObject, Sendable {
    /// The channel whose messages may have been lost. Nil for all direct and group channels of the user, and for all channels when the
    /// handlers were too slow.
    public let channelIdentifier: ChannelIdentifier?

    init(channelIdentifier: ChannelIdentifier?) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}
