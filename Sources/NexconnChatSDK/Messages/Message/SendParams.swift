import ChatProtocol
import Foundation
import WireCoding

/// The options of sending a message.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCMessageParams) @objcMembers
#endif
open class MessageParams: NSObject, @unchecked Sendable {
    /// The ids of the group members who receive the message; nil for all members.
    @Guarded public final var directedUserIds: [String]? = nil
    /// Whether the message is not shown as its channel's latest message.
    @Guarded public final var disableUpdateLastMessage = false
    /// Whether to request read receipts. Only for direct and group channels.
    @Guarded public final var needReceipt = false
    /// Whether the receivers get no notification of the message.
    @Guarded public final var disableNotification = false
    /// Key-value pairs that the sender and receivers may change later. Only for direct and group channels. Keys have at most 32 letters,
    /// digits, `+`, `=`, `-` and `_`; values have at most 4096 characters.
    @Guarded public final var metadata: [String: String]? = nil
    /// The texts of notifications of the message; nil for none.
    @Guarded public final var pushConfig: PushConfig? = nil

    override init() {
        super.init()
    }

    /// The session's options for a message whose content type has this policy.
    final func options(_ policy: MessagePersistencePolicy) -> ChatMessageOptions {
        var options = ChatMessageOptions()
        options.isPersisted = policy == .persisted || policy == .counted
        options.isCounted = policy == .counted
        options.isStatus = policy == .status
        options.needsReceipt = needReceipt
        options.isQuiet = disableNotification
        options.isNotLatest = disableUpdateLastMessage
        options.metadata = metadata ?? [:]
        options.users = directedUserIds
        options.push = pushConfig?.fields.bytes
        return options
    }
}

/// The parameters of ``BaseChannel/sendMessage(params:attachedHandler:completionHandler:)``.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSendMessageParams) @objcMembers
#endif
public final class SendMessageParams: MessageParams, @unchecked Sendable {
    /// The content.
    public let content: MessageContent

    /// Creates the parameters of a message with default options.
    public init(content: MessageContent) {
        self.content = content
        super.init()
    }
}

/// The parameters of ``BaseChannel/sendMediaMessage(params:attachedHandler:progressHandler:completionHandler:cancelHandler:)``.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSendMediaMessageParams) @objcMembers
#endif
public final class SendMediaMessageParams: MessageParams, @unchecked Sendable {
    /// The content.
    public let content: MediaMessageContent

    /// Creates the parameters of a message with a file and default options.
    public init(content: MediaMessageContent) {
        self.content = content
        super.init()
    }
}

/// The texts of notifications. This service sends no notifications to devices; webhooks receive these values as the field `push`.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCPushConfig) @objcMembers
#endif
public final class PushConfig: NSObject, @unchecked Sendable {
    /// Whether notifications have no title.
    @Guarded public var disablePushTitle = false
    /// The title.
    @Guarded public var pushTitle: String? = nil
    /// The text.
    @Guarded public var pushContent: String? = nil
    /// Data for the receiving application, in its own format.
    @Guarded public var pushData: String? = nil
    /// Whether the notification shows its text even when the receiver has hidden details.
    @Guarded public var forceShowDetailContent = false
    /// The id of the vendor's template for the notification.
    @Guarded public var templateId: String? = nil
    /// Whether the notification is sent as a VoIP notification.
    @Guarded public var voIPPush = false
    /// Additional values for notifications on Apple's devices; nil for none.
    @Guarded public var iOSConfig: IOSPushConfig? = nil

    var fields: ContentFields {
        var fields = ContentFields()
        fields.set("disableTitle", disablePushTitle ? .bool(true) : nil)
        fields.set("title", pushTitle)
        fields.set("content", pushContent)
        fields.set("data", pushData)
        fields.set("forceDetail", forceShowDetailContent ? .bool(true) : nil)
        fields.set("template", templateId)
        fields.set("voip", voIPPush ? .bool(true) : nil)
        fields.set("ios", iOSConfig?.fields.value)
        return fields
    }
}

/// Values of notifications for Apple's devices.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCIOSPushConfig) @objcMembers
#endif
public final class IOSPushConfig: NSObject, @unchecked Sendable {
    /// The id of the thread in which notifications are grouped.
    @Guarded public var threadId: String? = nil
    /// The notification category, which selects the actions that the user is offered.
    @Guarded public var category: String? = nil
    /// The collapse id. A notification replaces an earlier one with the same id.
    @Guarded public var apnsCollapseId: String? = nil
    /// The address of a picture that the notification shows.
    @Guarded public var richMediaUri: String? = nil
    /// The interruption level of Apple's notification service.
    @Guarded public var interruptionLevel: String? = nil

    var fields: ContentFields {
        var fields = ContentFields()
        fields.set("threadId", threadId)
        fields.set("category", category)
        fields.set("collapseId", apnsCollapseId)
        fields.set("richMediaUri", richMediaUri)
        fields.set("interruptionLevel", interruptionLevel)
        return fields
    }
}
