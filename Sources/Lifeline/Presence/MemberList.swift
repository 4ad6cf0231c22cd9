import Identifiers
import WireCoding

/// The members of one channel, in the order in which they joined. A value; each operation returns the changes that it made.
struct MemberList: Sendable {
    /// The members in order; nil replaces a member who has left, so that a leave does not move all later members (rule LL-146).
    private var slots: [Member?] = []
    private var position: [Identifier: Int] = [:]

    var members: [Member] { slots.compactMap { $0 } }
    var count: Int { position.count }

    func contains(_ id: String) -> Bool { position[Identifier(id)] != nil }

    /// Replaces the list. Returns the difference between the lists: leaves first, then joins and updates (rule LL-9).
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

    /// Adds or updates a member. Returns nil when nothing changed.
    mutating func join(_ member: Member, in channel: String) -> PresenceChange? {
        if let index = position[Identifier(member.id)] {
            if slots[index] == member { return nil }
            slots[index] = member
            return PresenceChange(channel: channel, action: .update, member: member, count: count)
        }
        position[Identifier(member.id)] = slots.count
        slots.append(member)
        return PresenceChange(channel: channel, action: .join, member: member, count: count)
    }

    /// Removes a member. Returns nil when the user is not a member.
    mutating func leave(_ id: String, in channel: String) -> PresenceChange? {
        guard let index = position.removeValue(forKey: Identifier(id)), let member = slots[index] else { return nil }
        slots[index] = nil
        if slots.count > 2 * count + 32 { close() }
        return PresenceChange(channel: channel, action: .leave, member: member, count: count)
    }

    /// Removes the empty entries of `slots`.
    private mutating func close() {
        slots.removeAll { $0 == nil }
        for (index, member) in slots.enumerated() {
            if let member { position[Identifier(member.id)] = index }
        }
    }

    /// Applies a change that was made to another copy of the channel's member list. Returns nil when this list already contains the change.
    mutating func apply(_ change: PresenceChange) -> PresenceChange? {
        change.action == .leave ? leave(change.member.id, in: change.channel) : join(change.member, in: change.channel)
    }
}
