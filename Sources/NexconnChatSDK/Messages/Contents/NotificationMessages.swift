import Foundation

/// A command for the receiving application that is stored in the history.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCCommandNotificationMessage) @objcMembers
#endif
public final class CommandNotificationMessage: MessageContent, @unchecked Sendable {
    /// The command's name.
    @Guarded public var name: String
    /// The command's data, in the application's own format.
    @Guarded public var data: String

    /// Creates a command with a name and data.
    public init(name: String, data: String) {
        self.name = name
        self.data = data
        super.init()
    }

    override init(_ fields: ContentFields) {
        name = fields.string("name") ?? ""
        data = fields.string("data") ?? ""
        super.init(fields)
    }

    override public class var messageType: String { MessageType.commandNotification }
    override public class var persistencePolicy: MessagePersistencePolicy { .persisted }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("name", name)
        fields.set("data", data)
    }
}

/// A content that is shown as a line of information in a conversation.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCInformationNotificationMessage) @objcMembers
#endif
public final class InformationNotificationMessage: MessageContent, @unchecked Sendable {
    /// The text of the line of information.
    @Guarded public var message: String

    /// Creates a line of information with a text.
    public init(message: String) {
        self.message = message
        super.init()
    }

    override init(_ fields: ContentFields) {
        message = fields.string("message") ?? ""
        super.init(fields)
    }

    override public class var messageType: String { MessageType.informationNotification }
    override public class var persistencePolicy: MessagePersistencePolicy { .persisted }
    override public var conversationDigest: String? { message }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("message", message)
    }
}

/// A content that is shown as a line about an event in a group.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCGroupNotificationMessage) @objcMembers
#endif
public final class GroupNotificationMessage: MessageContent, @unchecked Sendable {
    /// The user who caused the event.
    @Guarded public var operatorUserId: String
    /// The kind of event, such as `Add`, `Quit`, `Kicked`, `Rename` or `Bulletin`.
    @Guarded public var operation: String
    /// The event's data, in the application's own format.
    @Guarded public var data: String
    /// The text of the line about the event.
    @Guarded public var message: String

    /// Creates a line about an event that `operatorUserId` caused.
    public init(operatorUserId: String, operation: String, data: String, message: String) {
        self.operatorUserId = operatorUserId
        self.operation = operation
        self.data = data
        self.message = message
        super.init()
    }

    override init(_ fields: ContentFields) {
        operatorUserId = fields.string("operatorUserId") ?? ""
        operation = fields.string("operation") ?? ""
        data = fields.string("data") ?? ""
        message = fields.string("message") ?? ""
        super.init(fields)
    }

    override public class var messageType: String { MessageType.groupNotification }
    override public class var persistencePolicy: MessagePersistencePolicy { .persisted }
    override public var conversationDigest: String? { message }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("operatorUserId", operatorUserId)
        fields.set("operation", operation)
        fields.set("data", data)
        fields.set("message", message)
    }
}
