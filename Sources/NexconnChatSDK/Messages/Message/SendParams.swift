import Foundation
import NexconnProtocol
import WireCoding

/// What to send, and how.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCMessageParams) @objcMembers
#endif
open class MessageParams: NSObject, @unchecked Sendable {
    /// Only these members of a group get it; nil for all.
    @Guarded public final var directedUserIds: [String]? = nil
    /// Whether the message is not shown as its channel's latest one.
    @Guarded public final var disableUpdateLastMessage = false
    /// Whether to be told who has read it. Direct and group channels.
    @Guarded public final var needReceipt = false
    /// Whether receivers are not notified.
    @Guarded public final var disableNotification = false
    /// Pairs that sender and receivers may change later: keys of at most 32 letters, digits, `+`, `=`, `-`, `_`; values of at most
    /// 4096 characters. Direct and group channels.
    @Guarded public final var metadata: [String: String]? = nil
    /// What notifications of devices show.
    @Guarded public final var pushConfig: PushConfig? = nil

    override init() {
        super.init()
    }

    /// The wire's options of a message with this policy.
    final func options(_ policy: MessagePersistencePolicy) -> NexconnMessageOptions {
        var options = NexconnMessageOptions()
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

/// A message to send with ``BaseChannel/sendMessage(params:attachedHandler:completionHandler:)``.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSendMessageParams) @objcMembers
#endif
public final class SendMessageParams: MessageParams, @unchecked Sendable {
    public let content: MessageContent

    public init(content: MessageContent) {
        self.content = content
        super.init()
    }
}

/// A message with a file to send with
/// ``BaseChannel/sendMediaMessage(params:attachedHandler:progressHandler:completionHandler:cancelHandler:)``.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSendMediaMessageParams) @objcMembers
#endif
public final class SendMediaMessageParams: MessageParams, @unchecked Sendable {
    public let content: MediaMessageContent

    public init(content: MediaMessageContent) {
        self.content = content
        super.init()
    }
}

/// What notifications of devices show. This service notifies no devices itself: webhooks get it, as the member `push` of a message.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCPushConfig) @objcMembers
#endif
public final class PushConfig: NSObject, @unchecked Sendable {
    @Guarded public var disablePushTitle = false
    @Guarded public var pushTitle: String? = nil
    @Guarded public var pushContent: String? = nil
    @Guarded public var pushData: String? = nil
    @Guarded public var forceShowDetailContent = false
    @Guarded public var templateId: String? = nil
    @Guarded public var voIPPush = false
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

/// What notifications of Apple's devices show.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCIOSPushConfig) @objcMembers
#endif
public final class IOSPushConfig: NSObject, @unchecked Sendable {
    @Guarded public var threadId: String? = nil
    @Guarded public var category: String? = nil
    @Guarded public var apnsCollapseId: String? = nil
    @Guarded public var richMediaUri: String? = nil
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
