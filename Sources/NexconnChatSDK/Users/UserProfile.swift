import Foundation
import Identifiers
import NexconnProtocol

/// What a user is like.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCUserProfile) @objcMembers
#endif
public final class UserProfile: NSObject, @unchecked Sendable {
    /// Empty in a profile that was made to update one's own.
    public let userId: String
    @Guarded public var name: String? = nil
    /// Where the picture is.
    @Guarded public var avatarUrl: String? = nil
    @Guarded public var uniqueId: String? = nil
    @Guarded public var email: String? = nil
    @Guarded public var birthday: String? = nil
    @Guarded public var location: String? = nil
    @Guarded public var gender: Int? = nil
    @Guarded public var role: Int? = nil
    @Guarded public var level: Int? = nil
    /// The application's own members; their names begin with `ext_`.
    @Guarded public var extProfile: [String: String] = [:]

    public override init() {
        userId = ""
        super.init()
    }

    init(_ user: NexconnUser) {
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

    /// The member `ext` of the session (rule NH-71).
    func extra() throws(NCError) -> [String: String] {
        var extra = extProfile
        guard extra.keys.allSatisfy({ $0.hasBytePrefix("ext_") }) else {
            throw NCError(.badArgument, reason: "The names in extProfile begin with ext_.")
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
