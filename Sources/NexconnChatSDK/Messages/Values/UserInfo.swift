import Foundation
import WireCoding

/// The name and picture of a message's sender, sent with the content, so that receivers need not load the sender's profile.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCUserInfo) @objcMembers
#endif
public final class UserInfo: NSObject, @unchecked Sendable {
    /// The user's id.
    @Guarded public var userId: String
    /// The user's name.
    @Guarded public var name: String?
    /// The address of the user's picture.
    @Guarded public var portraitUri: String?
    /// The name that the receiver has given the user.
    @Guarded public var alias: String?
    /// An additional text that the application defines.
    @Guarded public var extra: String?

    /// Creates a description of a user.
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

    /// Reads the field `user` of a content (rule NH-3). Returns nil when the field has no user id.
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
