import Foundation

// `@unchecked Sendable` of the classes in this file: immutable.

/// A message has come.
#if canImport(ObjectiveC)
    @objc(NCMessageReceivedEvent) @objcMembers
#endif
public final class MessageReceivedEvent: NSObject, @unchecked Sendable {
    public let message: Message
    /// How many are left of the package that it came with; 0 when it came alone.
    public let left: Int
    /// Whether it came while what had been missed was fetched.
    public let offline: Bool
    /// Whether more packages follow. What had been missed is complete with `left == 0` and `hasPackage == false`.
    public let hasPackage: Bool

    init(message: Message, left: Int, offline: Bool, hasPackage: Bool) {
        self.message = message
        self.left = left
        self.offline = offline
        self.hasPackage = hasPackage
        super.init()
    }
}

/// Messages were deleted for all. They are gone from the local database too.
#if canImport(ObjectiveC)
    @objc(NCMessageDeletedEvent) @objcMembers
#endif
public final class MessageDeletedEvent: NSObject, @unchecked Sendable {
    /// As they were.
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
public final class MessagesUpdatedEvent: NSObject, @unchecked Sendable {
    /// As they are now.
    public let messages: [Message]

    init(messages: [Message]) {
        self.messages = messages
        super.init()
    }
}

/// Metadata of a message were set.
#if canImport(ObjectiveC)
    @objc(NCMessageMetadataUpdatedEvent) @objcMembers
#endif
public final class MessageMetadataUpdatedEvent: NSObject, @unchecked Sendable {
    /// The pairs that were set, not all that there are.
    public let metadata: [String: String]
    /// As it is now.
    public let message: Message

    init(metadata: [String: String], message: Message) {
        self.metadata = metadata
        self.message = message
        super.init()
    }
}

/// Metadata of a message were deleted.
#if canImport(ObjectiveC)
    @objc(NCMessageMetadataDeletedEvent) @objcMembers
#endif
public final class MessageMetadataDeletedEvent: NSObject, @unchecked Sendable {
    /// As it is now.
    public let message: Message
    /// The keys that are gone.
    public let keys: [String]

    init(message: Message, keys: [String]) {
        self.message = message
        self.keys = keys
        super.init()
    }
}

/// Somebody has read messages that this user sent.
#if canImport(ObjectiveC)
    @objc(NCMessageReceiptResponseEvent) @objcMembers
#endif
public final class MessageReceiptResponseEvent: NSObject, @unchecked Sendable {
    public let responses: [MessageReceiptResponse]

    init(responses: [MessageReceiptResponse]) {
        self.responses = responses
        super.init()
    }
}

/// How far a message has been read.
#if canImport(ObjectiveC)
    @objc(NCMessageReceiptResponse) @objcMembers
#endif
public final class MessageReceiptResponse: NSObject, @unchecked Sendable {
    public let messageId: String
    public let channelIdentifier: ChannelIdentifier
    public let readCount: Int
    public let unreadCount: Int
    /// How many people it was meant for.
    public let totalCount: Int
    /// Who has read it just now.
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

/// Who has read a message.
#if canImport(ObjectiveC)
    @objc(NCMessageReceiptUser) @objcMembers
#endif
public final class MessageReceiptUser: NSObject, @unchecked Sendable {
    public let userId: String
    /// When, ms since 1970.
    public let timestamp: Int64
    /// Whether the message mentions the user; false where that is not known.
    public let isMentioned: Bool

    init(userId: String, timestamp: Int64, isMentioned: Bool = false) {
        self.userId = userId
        self.timestamp = timestamp
        self.isMentioned = isMentioned
        super.init()
    }
}

/// Messages may be missing.
#if canImport(ObjectiveC)
    @objc(NCMessagesMissedEvent) @objcMembers
#endif
public final class MessagesMissedEvent: NSObject, @unchecked Sendable {
    /// The channel; nil for all of the user's direct and group channels.
    public let channelIdentifier: ChannelIdentifier?

    init(channelIdentifier: ChannelIdentifier?) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}
