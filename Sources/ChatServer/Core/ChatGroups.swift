import Identifiers
import OrderedCollections
import ServerStorage

/// The groups of an application and their members (rules CH-40 to CH-53).
struct ChatGroups: Sendable {
    struct Entry: Sendable {
        var group: ChatDocument.Group
        /// The members, in the order in which they joined.
        var members: OrderedDictionary<Identifier, ChatDocument.Member> = [:]
    }

    private var entries: [Identifier: Entry] = [:]
    private var groupsOfUser: [Identifier: Set<Identifier>] = [:]
    /// The number of existing groups that each user has created.
    private var made: [Identifier: Int] = [:]

    subscript(id: Identifier) -> ChatDocument.Group? { entries[id]?.group }

    func member(_ user: Identifier, of id: Identifier) -> ChatDocument.Member? { entries[id]?.members[user] }

    var count: Int { entries.count }

    /// The number of existing groups that a user has created.
    func madeCount(by user: Identifier) -> Int { made[user] ?? 0 }

    private mutating func count(_ group: ChatDocument.Group, _ change: Int) {
        guard let creator = group.creator else { return }
        let count = (made[creator] ?? 0) + change
        made[creator] = count > 0 ? count : nil
    }

    var ids: [Identifier] { Array(entries.keys) }

    func count(of id: Identifier) -> Int { entries[id]?.members.count ?? 0 }

    /// The ids of all members, in the order in which they joined. The array shares the group's storage, so it is not copied.
    func users(of id: Identifier) -> [Identifier] { entries[id]?.members.keys.elements ?? [] }

    func members(of id: Identifier) -> [ChatDocument.Member] { entries[id].map { Array($0.members.values) } ?? [] }

    func groups(of user: Identifier) -> Set<Identifier> { groupsOfUser[user] ?? [] }

    mutating func put(_ group: ChatDocument.Group, into commit: inout ChatCommit) {
        restore(group)
        commit.documents.append(.group(group))
    }

    mutating func put(_ member: ChatDocument.Member, into commit: inout ChatCommit) {
        restore(member)
        commit.documents.append(.member(member))
    }

    mutating func removeMember(_ user: Identifier, of id: Identifier, into commit: inout ChatCommit) -> ChatDocument.Member? {
        guard let index = entries.index(forKey: id), let member = entries.values[index].members.removeValue(forKey: user)
        else { return nil }
        unlink(user, id)
        commit.removedDocuments.append(.member(group: id, user: user))
        return member
    }

    mutating func remove(_ id: Identifier, into commit: inout ChatCommit) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        count(entry.group, -1)
        for user in entry.members.keys {
            unlink(user, id)
            commit.removedDocuments.append(.member(group: id, user: user))
        }
        commit.removedDocuments.append(ChatDocument.group(entry.group).key)
    }

    private mutating func unlink(_ user: Identifier, _ id: Identifier) {
        groupsOfUser[user]?.remove(id)
        if groupsOfUser[user]?.isEmpty == true { groupsOfUser[user] = nil }
    }

    // MARK: Documents

    mutating func restore(_ group: ChatDocument.Group) {
        if let index = entries.index(forKey: group.id) {
            entries.values[index].group = group
        } else {
            entries[group.id] = Entry(group: group)
            count(group, 1)
        }
    }

    /// Restores a member, unless the group is unknown. Restore members after their groups, in the order in which they joined.
    mutating func restore(_ member: ChatDocument.Member) {
        guard let index = entries.index(forKey: member.group) else { return }
        entries.values[index].members[member.user] = member
        groupsOfUser[member.user, default: []].insert(member.group)
    }

    var documents: [ChatDocument] {
        entries.values.flatMap { entry in [.group(entry.group)] + entry.members.values.map { .member($0) } }
    }
}
