import Foundation
import WireCoding

/// The content of a message, created by the application or decoded from a received message.
///
/// An application's own types are subclasses of ``CustomMessage`` and ``CustomMediaMessage``. May be used from any thread. Sending encodes
/// the content at once, so later changes do not affect the sent message.
///
/// `@unchecked Sendable`, here and in the subclasses of this module: every property is constant or `Guarded`, which protects it with a
/// lock.
#if canImport(ObjectiveC)
    @objc(NCMessageContent) @objcMembers
#endif
open class MessageContent: NSObject, @unchecked Sendable {
    /// The name and picture of the sender, as the sender has set them; nil when the message contains none.
    @Guarded public final var senderUserInfo: UserInfo? = nil
    /// The users that a message in a group mentions.
    @Guarded public final var mentionedInfo: MentionedInfo? = nil
    /// An additional text that the application defines.
    @Guarded public final var extra: String? = nil

    /// The name of this content type in the protocol, such as `RC:TxtMsg`.
    open class var messageType: String { "" }

    /// Whether messages of this type are stored in the history and counted as unread.
    open class var persistencePolicy: MessagePersistencePolicy { .counted }

    override init() {
        super.init()
    }

    init(_ fields: ContentFields) {
        super.init()
        readShared(fields)
    }

    /// The text that lists of channels show and searches find; nil for none.
    open var conversationDigest: String? { nil }

    /// Adds the fields of this content type. If `isLocal` is true, fields that only this device needs, such as the local path, are also
    /// added.
    func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {}

    /// The complete content as a JSON object (rule NH-3).
    final func encoded(isLocal: Bool = false) throws(NCError) -> [UInt8] {
        var fields = ContentFields()
        try write(&fields, isLocal: isLocal)
        fields.complete("extra", extra.map { .string($0) })
        fields.complete("user", senderUserInfo?.json)
        fields.complete("mentionedInfo", mentionedInfo?.json)
        return fields.bytes
    }

    final func readShared(_ fields: ContentFields) {
        extra = fields.string("extra")
        senderUserInfo = UserInfo(fields["user"])
        mentionedInfo = MentionedInfo(fields["mentionedInfo"])
    }
}

/// Whether messages of a type are stored and counted as unread. The raw values are those of the vendor's services.
#if canImport(ObjectiveC)
    @objc(NCMessagePersistencePolicy)
#endif
public enum MessagePersistencePolicy: Int, Sendable {
    /// Messages are not stored in the history, but are delivered to devices that come online later.
    case none = 0
    /// Stored.
    case persisted = 1
    /// Messages are stored in the history and counted as unread.
    case counted = 3
    /// Messages are delivered only to devices that are connected at the moment.
    case status = 16
}

/// A content with a file, which is at `localPath`, at `remoteUrl`, or at both.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCMediaMessageContent) @objcMembers
#endif
open class MediaMessageContent: MessageContent, @unchecked Sendable {
    /// The path of the file on this device, which is not sent to receivers.
    @Guarded public final var localPath: String? = nil
    /// The address from which receivers fetch the file.
    @Guarded public final var remoteUrl: String? = nil
    /// The file's name.
    @Guarded public final var name: String? = nil

    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    init(localPath: String?) {
        super.init()
        self.localPath = localPath
        name = localPath.map { String($0.split(separator: "/").last ?? "") }
    }

    override init(_ fields: ContentFields) {
        super.init(fields)
        localPath = fields.string("localPath")
        name = fields.string("name")
    }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("name", name)
        if isLocal { fields.set("localPath", localPath) }
    }
}
