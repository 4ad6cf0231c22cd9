import ConnectionEngine
import Identifiers
import OrderedCollections
import WireCoding

// The members of presence channels. Rules PS-18, PS-19 and PS-33.
extension PusherSession {
    typealias Members = OrderedDictionary<Identifier, PusherMember>

    /// Emits the changes of members that a new confirmation shows: first the members who left, then those who joined.
    func emitChanges(from before: Members, to after: Members, of name: String, out: inout Actions) {
        for member in before.values where after[Identifier(member.userID)] == nil {
            out.emit(.memberRemoved(channel: name, member))
        }
        for member in after.values where before[Identifier(member.userID)] == nil {
            out.emit(.memberAdded(channel: name, member))
        }
    }

    /// The members in a confirmation. A list that exceeds the limit is cut off, and this is reported as a malformed message (rule PS-33).
    static func members(_ envelope: PusherEnvelope, out: inout Actions) -> [PusherMember] {
        let members = PusherMember.list(parsing: envelope.data ?? "", limit: PusherLimits.membersKept + 1) ?? []
        guard members.count > PusherLimits.membersKept else { return members }
        out.emit(
            .malformed(reason: "A presence channel has more than \(PusherLimits.membersKept) members; the others were ignored."))
        return Array(members.dropLast())
    }

    /// The members of a channel: the list in the confirmation, with the changes that arrived while the server made the list (rule PS-37).
    mutating func merged(_ list: [PusherMember], of name: String) -> Members {
        var members = Members(list.map { (Identifier($0.userID), $0) }) { _, last in last }
        for change in early.removeValue(forKey: Identifier(name)) ?? [] {
            switch change {
            case .added(let member): if members[Identifier(member.userID)] == nil { members[Identifier(member.userID)] = member }
            case .removed(let member): members[Identifier(member.userID)] = nil
            }
        }
        return members
    }

    mutating func memberAdded(_ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions) {
        guard let (name, member) = presence(envelope, memory: &memory), let channel = memory.channels[name],
            channel.members.count < PusherLimits.membersKept || channel.members[Identifier(member.userID)] != nil
        else { return }
        note(.added(member), of: name)
        let known = memory.channels[name]?.members.updateValue(member, forKey: Identifier(member.userID))
        if known == nil { out.emit(.memberAdded(channel: name, member)) }
    }

    mutating func memberRemoved(_ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions) {
        guard let (name, member) = presence(envelope, memory: &memory) else { return }
        note(.removed(member), of: name)
        guard let known = memory.channels[name]?.members.removeValue(forKey: Identifier(member.userID)) else { return }
        out.emit(.memberRemoved(channel: name, known))
    }

    /// Stores a change of members until the confirmation of the subscription arrives. Replayed changes are not stored, because the list of
    /// members in the confirmation contains them.
    private mutating func note(_ change: EarlyMemberChange, of name: String) {
        guard let channel = live[name], channel.phase == .confirming, !channel.isReplaying,
            (early[name]?.count ?? 0) < PusherLimits.membersKept
        else { return }
        early[Identifier(name), default: []].append(change)
    }

    /// Returns the change of members in a message, for the application; nil if the change must not be delivered.
    private mutating func presence(
        _ envelope: PusherEnvelope, memory: inout PusherMemory
    ) -> (name: String, member: PusherMember)? {
        guard let name = envelope.channel, let channel = live[name], channel.access == .presence,
            takes(envelope, of: name, channel, memory: &memory), let member = envelope.data.flatMap(PusherMember.init(parsing:))
        else { return nil }
        return (name, member)
    }
}
