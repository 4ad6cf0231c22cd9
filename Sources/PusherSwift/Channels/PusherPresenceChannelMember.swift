import Foundation
import PusherProtocol

/// The `user_info` of a member, with the name of PusherSwift's typealias.
public typealias PusherUserInfoObject = [String: AnyObject]

/// A member of a presence channel.
///
/// `@unchecked Sendable`: immutable; `userInfo` is a tree of JSON values that is never modified.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class PusherPresenceChannelMember: NSObject, @unchecked Sendable {
    /// The member's id; ids that arrive as numbers become text.
    public let userId: String
    /// The member's `user_info`: JSON values as `JSONSerialization` makes them, or nil.
    public let userInfo: Any?

    /// A member with an id and its `user_info`.
    public init(userId: String, userInfo: Any? = nil) {
        self.userId = userId
        self.userInfo = userInfo
    }

    convenience init(_ member: PusherMember) {
        let info = member.infoJSON.flatMap(AnyJSON.parse)
        self.init(userId: member.userID, userInfo: info is NSNull ? nil : info)
    }
}
