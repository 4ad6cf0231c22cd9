import Identifiers
import PusherProtocol

/// The members of a presence channel. Every operation returns the changes that it made, so that each change calls one callback (rules
/// PA-25 to PA-27). Ids are compared by their bytes.
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

    /// Replaces all members by those of a confirmation. The own user is never among the changes, neither with the former id nor with
    /// the new one: when signed with a secret and without a `userDataFetcher`, the user id changes with every connection.
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

    /// Adds a member, and updates the info of a present one.
    ///
    /// - Returns: the member, or nil when it was present already.
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
    /// - Returns: the removed member with its last info, or nil when it was not present.
    mutating func remove(_ userID: String) -> PusherPresenceChannelMember? {
        guard let index = members.firstIndex(where: { $0.userId.isExactly(userID) }) else { return nil }
        return members.remove(at: index)
    }
}

// Handles the connection's reports to a presence channel, on the callback queue.
extension PusherPresenceChannel {
    /// - Returns: calls the callbacks for those who came and left while the connection was down.
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
