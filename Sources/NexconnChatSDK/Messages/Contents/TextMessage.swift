import Foundation

/// Text.
///
/// `@unchecked Sendable` by the constants and locks that ``MessageContent`` names.
#if canImport(ObjectiveC)
    @objc(NCTextMessage) @objcMembers
#endif
public final class TextMessage: MessageContent, @unchecked Sendable {
    @Guarded public var text: String

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

/// An answer to another message, with that message in it.
///
/// `@unchecked Sendable` by the constants and locks that ``MessageContent`` names.
#if canImport(ObjectiveC)
    @objc(NCReferenceMessage) @objcMembers
#endif
public final class ReferenceMessage: MessageContent, @unchecked Sendable {
    /// The answer's text.
    @Guarded public var content: String
    /// What is answered.
    @Guarded public var referMsg: MessageContent?
    /// Who had sent it.
    @Guarded public var referMsgUserId: String
    /// Its id.
    @Guarded public var referMsgId: String
    /// What became of it, as far as the sender knew.
    @Guarded public var referMsgStatus: ReferenceMessageStatus

    public init(content: String, referMsg: MessageContent?, referMsgUserId: String, referMsgId: String) {
        self.content = content
        self.referMsg = referMsg
        self.referMsgUserId = referMsgUserId
        self.referMsgId = referMsgId
        referMsgStatus = .default
        super.init()
    }

    /// An answer to a message.
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

/// What became of a message that another one answers.
#if canImport(ObjectiveC)
    @objc(NCReferenceMessageStatus)
#endif
public enum ReferenceMessageStatus: Int, Sendable {
    case `default` = 0
    case deleted = 1
    case recalled = 2
    case modified = 3
}
