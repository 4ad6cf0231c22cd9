import Foundation

/// A content that is a text.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCTextMessage) @objcMembers
#endif
public final class TextMessage: MessageContent, @unchecked Sendable {
    /// The text.
    @Guarded public var text: String

    /// Creates a content with a text.
    public init(text: String) {
        self.text = text
        super.init()
    }

    override init(_ fields: ContentFields) {
        text = fields.string("content") ?? ""
        super.init(fields)
    }

    override public class var messageType: String { MessageType.text }
    override public var conversationDigest: String? { text }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("content", text)
    }
}

/// A content that replies to another message and contains that message's content.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCReferenceMessage) @objcMembers
#endif
public final class ReferenceMessage: MessageContent, @unchecked Sendable {
    /// The text of the reply.
    @Guarded public var content: String
    /// The content of the original message, to which this is a reply.
    @Guarded public var referMsg: MessageContent?
    /// The user id of the original message's sender.
    @Guarded public var referMsgUserId: String
    /// The service's id of the original message.
    @Guarded public var referMsgId: String
    /// The state of the original message when the reply was sent.
    @Guarded public var referMsgStatus: ReferenceMessageStatus

    /// Creates a reply to a message that is described by its content, sender and id.
    public init(content: String, referMsg: MessageContent?, referMsgUserId: String, referMsgId: String) {
        self.content = content
        self.referMsg = referMsg
        self.referMsgUserId = referMsgUserId
        self.referMsgId = referMsgId
        referMsgStatus = .default
        super.init()
    }

    /// Creates a reply to a message.
    public convenience init(content: String, message: Message) {
        self.init(
            content: content, referMsg: message.content, referMsgUserId: message.senderUserId, referMsgId: message.messageId)
    }

    override init(_ fields: ContentFields) {
        content = fields.string("content") ?? ""
        referMsgUserId = fields.string("referMsgUserId") ?? ""
        referMsgId = fields.string("referMsgUid") ?? ""
        referMsgStatus = fields.integer("referMsgStatus").flatMap { ReferenceMessageStatus(rawValue: Int($0)) } ?? .default
        referMsg = nil
        super.init(fields)
        if let type = fields.string("objName"), let inner = fields["referMsg"] {
            referMsg = ContentRegistry.content(type: type, value: inner)
        }
    }

    override public class var messageType: String { MessageType.reference }
    override public var conversationDigest: String? { content }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("content", content)
        fields.set("referMsgUserId", referMsgUserId)
        fields.set("referMsgUid", referMsgId)
        fields.set("referMsgStatus", referMsgStatus.rawValue)
        guard let referMsg else { return }
        fields.set("objName", referMsg.typeName)
        fields.set("referMsg", ContentFields(try referMsg.encoded())?.value)
    }
}

/// The states of a message to which a reply refers.
#if canImport(ObjectiveC)
    @objc(NCReferenceMessageStatus)
#endif
public enum ReferenceMessageStatus: Int, Sendable {
    /// The message is unchanged.
    case `default` = 0
    /// The message was deleted.
    case deleted = 1
    /// The message was deleted for everybody.
    case recalled = 2
    /// The message was edited.
    case modified = 3
}
