import Foundation
import NIOConcurrencyHelpers

/// A channel with a list of its subscribers.
///
/// `members` and `myId` are set when the server has confirmed the subscription. They change on the connection's callback queue only,
/// right before the callback for the change. `@unchecked Sendable`: as ``PusherChannel``.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherPresenceChannel: PusherChannel, @unchecked Sendable {
    init(name: String, connection: PusherConnection) {
        super.init(name: name, connection: connection)
    }

    /// All subscribers, including the own user, with one entry for each user id.
    open var members: [PusherPresenceChannelMember] {
        get { state.withLockedValue { $0.presence.members } }
        set { state.replace(\.presence.members, with: newValue) }
    }

    /// Called for every member who joins, also for those who joined while the connection was lost; not for the own user.
    open var onMemberAdded: ((PusherPresenceChannelMember) -> Void)? {
        get { state.withLockedValue { $0.presence.onMemberAdded } }
        set { state.replace(\.presence.onMemberAdded, with: newValue) }
    }

    /// Called for every member who leaves, also for those who left while the connection was lost.
    open var onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? {
        get { state.withLockedValue { $0.presence.onMemberRemoved } }
        set { state.replace(\.presence.onMemberRemoved, with: newValue) }
    }

    /// The own user id.
    open var myId: String? {
        get { state.withLockedValue { $0.presence.myID } }
        set { state.replace(\.presence.myID, with: newValue) }
    }

    /// The member with this id, or nil.
    open func findMember(userId: String) -> PusherPresenceChannelMember? {
        state.withLockedValue { $0.presence.member(userId) }
    }

    /// The own member, or nil before the subscription was confirmed.
    open func me() -> PusherPresenceChannelMember? {
        state.withLockedValue { $0.presence.me }
    }
}
