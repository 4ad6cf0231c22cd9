import Identifiers
import PusherProtocol

/// The members of a presence channel. Every operation returns the changes that it made, so that the app's callbacks are called once for
/// each change (rules PA-25 to PA-27). User ids are compared by their bytes.
struct PresenceState {
    var members: [PusherPresenceChannelMember] = []
    var myID: String?
    var onMemberAdded: ((PusherPresenceChannelMember) -> Void)?
    var onMemberRemoved: ((PusherPresenceChannelMember) -> Void)?

    func member(_ userID: String) -> PusherPresenceChannelMember? {
        members.first { $0.userId.isExactly(userID) }
    }

    var me: PusherPresenceChannelMember? {
        myID.flatMap(member)
    }

    /// Replaces all members by the members in the server's confirmation of the subscription, and returns who joined and left. The own user
    /// is never among the returned users. Without a `userDataFetcher` the own user id is the socket id, which changes with every
    /// connection; therefore the own user id of the previous connection is left out as well.
    mutating func replace(
        with current: [PusherMember], myID: String?
    ) -> (added: [PusherPresenceChannelMember], removed: [PusherPresenceChannelMember]) {
        let currentIDs = Set(current.map { Identifier($0.userID) })
        let knownIDs = Set(members.map { Identifier($0.userId) })
        let formerID = self.myID
        let removed = members.filter { !currentIDs.contains(Identifier($0.userId)) && !(formerID?.isExactly($0.userId) ?? false) }
        members = current.map { PusherPresenceChannelMember($0) }
        if let myID { self.myID = myID }
        let presentID = self.myID
        let added = members.filter { !knownIDs.contains(Identifier($0.userId)) && !(presentID?.isExactly($0.userId) ?? false) }
        return (added, removed)
    }

    /// Adds a member, or updates the info of a member who is present already.
    ///
    /// - Returns: the member, or nil when the user was present already.
    mutating func add(_ member: PusherMember) -> PusherPresenceChannelMember? {
        let added = PusherPresenceChannelMember(member)
        if let index = members.firstIndex(where: { $0.userId.isExactly(member.userID) }) {
            members[index] = added
            return nil
        }
        members.append(added)
        return added
    }

    /// Removes a member.
    ///
    /// - Returns: the removed member with the latest info, or nil when the user was not present.
    mutating func remove(_ userID: String) -> PusherPresenceChannelMember? {
        guard let index = members.firstIndex(where: { $0.userId.isExactly(userID) }) else { return nil }
        return members.remove(at: index)
    }
}

// Handles events of the connection for a presence channel. Runs on the callback queue.
extension PusherPresenceChannel {
    /// Stores the members that the server sent with its confirmation.
    ///
    /// - Returns: a closure that calls the callbacks for the members who joined or left while the connection was lost.
    func confirm(_ confirmation: PusherSubscribed) -> () -> Void {
        let (changes, presence) = state.withLockedValue { state in
            let changes = state.presence.replace(with: confirmation.members, myID: confirmation.myID)
            state.memberStreams.yield(.current(state.presence.members))
            return (changes, state.presence)
        }
        guard confirmation.isRenewal else { return {} }
        return {
            for member in changes.removed { presence.onMemberRemoved?(member) }
            for member in changes.added { presence.onMemberAdded?(member) }
        }
    }

    func memberAdded(_ member: PusherMember) {
        let (added, callback) = state.withLockedValue { state in
            let added = state.presence.add(member)
            if let added { state.memberStreams.yield(.joined(added), orElse: .current(state.presence.members)) }
            return (added, state.presence.onMemberAdded)
        }
        if let added { callback?(added) }
    }

    func memberRemoved(_ member: PusherMember) {
        let (removed, callback) = state.withLockedValue { state in
            let removed = state.presence.remove(member.userID)
            if let removed { state.memberStreams.yield(.left(removed), orElse: .current(state.presence.members)) }
            return (removed, state.presence.onMemberRemoved)
        }
        if let removed { callback?(removed) }
    }
}
