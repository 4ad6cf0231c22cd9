import Foundation
import PusherProtocol

/// The type of a member's `user_info`, as PusherSwift names it.
public typealias PusherUserInfoObject = [String: AnyObject]

/// A member of a presence channel.
///
/// `@unchecked Sendable`: immutable; `userInfo` is a JSON value that is never modified.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class PusherPresenceChannelMember: NSObject, @unchecked Sendable {
    /// The member's user id. A number in JSON is converted to text.
    public let userId: String
    /// The member's `user_info` as a value of `JSONSerialization`; nil if there is none.
    public let userInfo: Any?

    /// Creates a member with a user id and its `user_info`.
    public init(userId: String, userInfo: Any? = nil) {
        self.userId = userId
        self.userInfo = userInfo
    }

    convenience init(_ member: PusherMember) {
        let info = member.infoJSON.flatMap(AnyJSON.parse)
        self.init(userId: member.userID, userInfo: info is NSNull ? nil : info)
    }
}
