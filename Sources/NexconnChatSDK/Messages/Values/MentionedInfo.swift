import Foundation
import Identifiers
import WireCoding

/// Whether a message mentions everybody or single users.
#if canImport(ObjectiveC)
    @objc(NCMentionedType)
#endif
public enum MentionedType: Int, Sendable {
    /// The message mentions everybody in the channel.
    case all = 1
    /// The message mentions the users in ``MentionedInfo/userIdList``.
    case part = 2
}

/// The users that a message in a group mentions.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCMentionedInfo) @objcMembers
#endif
public final class MentionedInfo: NSObject, @unchecked Sendable {
    /// Whether everybody or single users are mentioned.
    @Guarded public var type: MentionedType
    /// The mentioned users.
    @Guarded public var userIdList: [String]
    /// The text that a notification of the mention shows; nil for the usual text.
    @Guarded public var mentionedContent: String?
    /// Whether the signed-in user is mentioned. Set in received messages only.
    @Guarded public internal(set) var isMentionedMe = false

    /// Creates a mention of everybody or of single users.
    public init(type: MentionedType, userIdList: [String] = [], mentionedContent: String? = nil) {
        self.type = type
        self.userIdList = userIdList
        self.mentionedContent = mentionedContent
        super.init()
    }

    /// Reads the field `mentionedInfo` of a content (rule NH-3). Returns nil when it is missing or invalid.
    convenience init?(_ value: JSONValue?) {
        guard let value, let type = value["type"]?.integer.flatMap(MentionedType.init(rawValue:)) else { return nil }
        self.init(
            type: type, userIdList: value["userIdList"]?.array?.compactMap(\.string) ?? [],
            mentionedContent: value["mentionedContent"]?.string)
    }

    var json: JSONValue {
        var fields = ContentFields()
        fields.set("type", type.rawValue)
        fields.set("userIdList", .array(userIdList.map { .string($0) }))
        fields.set("mentionedContent", mentionedContent)
        return fields.value
    }

    func mentions(_ user: String) -> Bool {
        type == .all || userIdList.contains { $0.isExactly(user) }
    }
}
