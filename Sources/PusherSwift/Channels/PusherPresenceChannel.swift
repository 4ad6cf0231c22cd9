import Foundation
import NIOConcurrencyHelpers

/// A channel that knows who is subscribed.
///
/// `members`, `myId` and what is derived from them are known once the subscription was confirmed, and change on the connection's
/// callback queue only, right before the callback that tells of the change. `@unchecked Sendable`: as ``PusherChannel``.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherPresenceChannel: PusherChannel, @unchecked Sendable {
    init(name: String, connection: PusherConnection) {
        super.init(name: name, connection: connection)
    }

    /// Everybody who is subscribed, oneself included: one entry per user id.
    open var members: [PusherPresenceChannelMember] {
        get { state.withLockedValue { $0.presence.members } }
        set { state.replace(\.presence.members, with: newValue) }
    }

    /// Called for everybody who comes, also for those who came while the connection was down; never for oneself.
    open var onMemberAdded: ((PusherPresenceChannelMember) -> Void)? {
        get { state.withLockedValue { $0.presence.onMemberAdded } }
        set { state.replace(\.presence.onMemberAdded, with: newValue) }
    }

    /// Called for everybody who leaves, also for those who left while the connection was down.
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

    /// Oneself, or nil before the subscription was confirmed.
    open func me() -> PusherPresenceChannelMember? {
        state.withLockedValue { $0.presence.me }
    }
}
