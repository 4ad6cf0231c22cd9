import ChatProtocol
import Foundation
import Identifiers

/// A user's profile.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCUserProfile) @objcMembers
#endif
public final class UserProfile: NSObject, @unchecked Sendable {
    /// The user's id; empty in a profile that was created for ``UserModule/updateMyUserProfile(_:completion:)``.
    public let userId: String
    /// The user's name.
    @Guarded public var name: String? = nil
    /// The address of the user's picture.
    @Guarded public var avatarUrl: String? = nil
    /// An id by which other people can find the user.
    @Guarded public var uniqueId: String? = nil
    /// The email address.
    @Guarded public var email: String? = nil
    /// The date of birth, in the application's format.
    @Guarded public var birthday: String? = nil
    /// The place.
    @Guarded public var location: String? = nil
    /// The gender, as a number that the application defines.
    @Guarded public var gender: Int? = nil
    /// The role, as a number that the application defines.
    @Guarded public var role: Int? = nil
    /// The level, as a number that the application defines.
    @Guarded public var level: Int? = nil
    /// Additional values that the application defines. Their names must begin with `ext_`.
    @Guarded public var extProfile: [String: String] = [:]

    /// An empty profile.
    public override init() {
        userId = ""
        super.init()
    }

    init(_ user: ChatUser) {
        userId = user.user
        super.init()
        name = user.name
        avatarUrl = user.avatar
        uniqueId = user.extra["uniqueId"]
        email = user.extra["email"]
        birthday = user.extra["birthday"]
        location = user.extra["location"]
        gender = user.extra["gender"].flatMap { Int($0) }
        role = user.extra["role"].flatMap { Int($0) }
        level = user.extra["level"].flatMap { Int($0) }
        extProfile = user.extra.filter { $0.key.hasBytePrefix("ext_") }
    }

    /// The additional values as the protocol's field `ext` (rule NH-71). Throws when a name in `extProfile` is not valid.
    func extra() throws(NCError) -> [String: String] {
        var extra = extProfile
        guard extra.keys.allSatisfy({ $0.hasBytePrefix("ext_") }) else {
            throw NCError(.badArgument, reason: "A name in extProfile does not begin with ext_.")
        }
        extra["uniqueId"] = uniqueId
        extra["email"] = email
        extra["birthday"] = birthday
        extra["location"] = location
        extra["gender"] = gender.map { String($0) }
        extra["role"] = role.map { String($0) }
        extra["level"] = level.map { String($0) }
        return extra
    }
}
