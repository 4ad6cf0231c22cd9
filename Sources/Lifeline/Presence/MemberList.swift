import Identifiers
import WireCoding

/// The members of one channel, in the order of arrival, as a value. Each operation returns the changes that it made.
struct MemberList: Hashable, Sendable {
    private(set) var members: [Member] = []
    private var position: [Identifier: Int] = [:]

    var count: Int { members.count }

    func contains(_ id: String) -> Bool { position[Identifier(id)] != nil }

    /// Rule LL-9: replaces the list and returns the difference: leaves first, then joins and updates.
    mutating func replace(with present: [Member], in channel: String) -> [PresenceChange] {
        let ids = Set(present.map { Identifier($0.id) })
        var changes: [PresenceChange] = []
        for gone in members where !ids.contains(Identifier(gone.id)) {
            if let change = leave(gone.id, in: channel) { changes.append(change) }
        }
        for member in present {
            if let change = join(member, in: channel) { changes.append(change) }
        }
        return changes
    }

    /// Nil when nothing changed.
    mutating func join(_ member: Member, in channel: String) -> PresenceChange? {
        if let index = position[Identifier(member.id)] {
            if members[index] == member { return nil }
            members[index] = member
            return PresenceChange(channel: channel, action: .update, member: member, count: members.count)
        }
        position[Identifier(member.id)] = members.count
        members.append(member)
        return PresenceChange(channel: channel, action: .join, member: member, count: members.count)
    }

    /// Nil when the user is not a member.
    mutating func leave(_ id: String, in channel: String) -> PresenceChange? {
        guard let index = position.removeValue(forKey: Identifier(id)) else { return nil }
        let member = members.remove(at: index)
        for later in index..<members.count { position[Identifier(members[later].id)] = later }
        return PresenceChange(channel: channel, action: .leave, member: member, count: members.count)
    }

    /// Applies a change from another list; nil when this list already has it.
    mutating func apply(_ change: PresenceChange) -> PresenceChange? {
        change.action == .leave ? leave(change.member.id, in: change.channel) : join(change.member, in: change.channel)
    }
}
