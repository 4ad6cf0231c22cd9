import Foundation
import WireCoding

/// Who sent a message, as the sender describes it: goes with the content, so that receivers need not ask.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCUserInfo) @objcMembers
#endif
public final class UserInfo: NSObject, @unchecked Sendable {
    @Guarded public var userId: String
    @Guarded public var name: String?
    /// Where the picture is.
    @Guarded public var portraitUri: String?
    /// How the receiver calls the user.
    @Guarded public var alias: String?
    /// Whatever the application likes.
    @Guarded public var extra: String?

    public init(
        userId: String, name: String? = nil, portraitUri: String? = nil, alias: String? = nil, extra: String? = nil
    ) {
        self.userId = userId
        self.name = name
        self.portraitUri = portraitUri
        self.alias = alias
        self.extra = extra
        super.init()
    }

    /// The member `user` of a content (rule NH-3); nil when it names nobody.
    convenience init?(_ value: JSONValue?) {
        guard let value, let id = value["id"]?.string else { return nil }
        self.init(
            userId: id, name: value["name"]?.string, portraitUri: value["portrait"]?.string, alias: value["alias"]?.string,
            extra: value["extra"]?.string)
    }

    var json: JSONValue {
        var fields = ContentFields()
        fields.set("id", userId)
        fields.set("name", name)
        fields.set("portrait", portraitUri)
        fields.set("alias", alias)
        fields.set("extra", extra)
        return fields.value
    }
}
