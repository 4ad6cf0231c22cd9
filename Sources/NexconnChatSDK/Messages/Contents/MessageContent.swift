import Foundation
import WireCoding

/// What a message says. Made by the application before sending, or read from what arrived.
///
/// Own kinds are subclasses of ``CustomMessage`` and ``CustomMediaMessage``. May be used from any thread; a content that was sent is
/// written at once, so that changing it later changes nothing.
///
/// `@unchecked Sendable`, here and in the subclasses of this module: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCMessageContent) @objcMembers
#endif
open class MessageContent: NSObject, @unchecked Sendable {
    /// Who sent it, as the sender describes it.
    @Guarded public final var senderUserInfo: UserInfo? = nil
    /// Whom it mentions; in groups.
    @Guarded public final var mentionedInfo: MentionedInfo? = nil
    /// Whatever the application likes.
    @Guarded public final var extra: String? = nil

    /// The name of the type on the wire, such as `RC:TxtMsg`.
    open class var messageType: String { "" }

    /// Whether messages of this kind are kept and counted.
    open class var persistencePolicy: MessagePersistencePolicy { .counted }

    override init() {
        super.init()
    }

    init(_ fields: ContentFields) {
        super.init()
        readShared(fields)
    }

    /// What a list of channels shows of it, and what search looks at; nil for nothing.
    open var conversationDigest: String? { nil }

    /// Adds the members of this kind. With `isLocal` also what only this device needs.
    func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {}

    /// The whole content as a JSON object (rule NH-3).
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

/// Whether messages of a kind are kept and counted. The numbers are those of the vendor's family of services.
#if canImport(ObjectiveC)
    @objc(NCMessagePersistencePolicy)
#endif
public enum MessagePersistencePolicy: Int, Sendable {
    /// Not kept, but delivered to who is away.
    case none = 0
    /// Kept.
    case persisted = 1
    /// Kept, and counted as unread.
    case counted = 3
    /// For devices that are connected right now.
    case status = 16
}

/// A content with a file: the file lies at `localPath`, or at `remoteUrl`, or both.
///
/// `@unchecked Sendable` by the constants and locks that ``MessageContent`` names.
#if canImport(ObjectiveC)
    @objc(NCMediaMessageContent) @objcMembers
#endif
open class MediaMessageContent: MessageContent, @unchecked Sendable {
    /// Where the file is on this device. Never leaves it.
    @Guarded public final var localPath: String? = nil
    /// Where everybody can fetch the file.
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
