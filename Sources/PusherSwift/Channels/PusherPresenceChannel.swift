import Foundation
import NIOConcurrencyHelpers

/// A channel with a list of its members.
///
/// `members` and `myId` are set when the server has confirmed the subscription. They change on the connection's callback queue only, right
/// before the callback for the change. `@unchecked Sendable` for the same reasons as ``PusherChannel``.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherPresenceChannel: PusherChannel, @unchecked Sendable {
    init(name: String, connection: PusherConnection) {
        super.init(name: name, connection: connection)
    }

    /// All members, including the own user, with one entry for each user id.
    open var members: [PusherPresenceChannelMember] {
        get { state.withLockedValue { $0.presence.members } }
        set { state.replace(\.presence.members, with: newValue) }
    }

    /// Called for every member who joins, also for members who joined while the connection was lost. Not called for the own user.
    open var onMemberAdded: ((PusherPresenceChannelMember) -> Void)? {
        get { state.withLockedValue { $0.presence.onMemberAdded } }
        set { state.replace(\.presence.onMemberAdded, with: newValue) }
    }

    /// Called for every member who leaves, also for members who left while the connection was lost.
    open var onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? {
        get { state.withLockedValue { $0.presence.onMemberRemoved } }
        set { state.replace(\.presence.onMemberRemoved, with: newValue) }
    }

    /// The user id of this client on the channel; nil before the server has confirmed the subscription.
    open var myId: String? {
        get { state.withLockedValue { $0.presence.myID } }
        set { state.replace(\.presence.myID, with: newValue) }
    }

    /// The member with this user id; nil if the user is not present.
    open func findMember(userId: String) -> PusherPresenceChannelMember? {
        state.withLockedValue { $0.presence.member(userId) }
    }

    /// The member that is this client's user; nil before the server has confirmed the subscription.
    open func me() -> PusherPresenceChannelMember? {
        state.withLockedValue { $0.presence.me }
    }
}
