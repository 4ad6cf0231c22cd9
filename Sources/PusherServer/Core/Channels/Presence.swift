import Identifiers
import OrderedCollections
import PusherProtocol

/// A user of a presence channel.
package struct PresenceMember: Hashable, Sendable {
    /// The user's id.
    package var userID: String
    /// The application's information about the user, as JSON text that the server does not parse.
    package var info: String?

    /// Makes a member from the user's id and the application's information about the user.
    package init(userID: String, info: String? = nil) {
        self.userID = userID
        self.info = info
    }
}

/// The members of one presence channel, each user once, regardless of the number of its connections (rule HB-5).
///
/// Members are listed in the order in which they joined.
package struct PresenceRoster: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var info: String?
        var connections: Int
    }

    private var entries: OrderedDictionary<Identifier, Entry> = [:]
    /// The members, encoded for confirmations.
    private(set) var encoded = EncodedMembers()

    /// An empty value.
    package init() {}

    /// The number of users.
    package var count: Int { entries.count }
    /// Whether there are no members.
    package var isEmpty: Bool { entries.isEmpty }

    /// The members, in the order in which they joined.
    package var members: [PresenceMember] {
        entries.map { PresenceMember(userID: $0.key.text, info: $0.value.info) }
    }

    /// Whether a user has at least one connection in the channel.
    package func contains(userID: String) -> Bool {
        entries[Identifier(userID)] != nil
    }

    /// Counts a connection of `member`. Returns true when it is the user's first connection, so that the other members have to be notified
    /// that the user has joined.
    ///
    /// The information of a user's first connection is kept until the user's last connection leaves.
    package mutating func join(_ member: PresenceMember) -> Bool {
        let id = Identifier(member.userID)
        if let index = entries.index(forKey: id) {
            entries.values[index].connections += 1
            return false
        }
        entries[id] = Entry(info: member.info, connections: 1)
        encoded.append(PusherMember(member))
        return true
    }

    /// Removes one connection of a user. Returns true when it was the user's last connection, so that the other members have to be notified
    /// that the user has left.
    package mutating func leave(userID: String) -> Bool {
        guard let index = entries.index(forKey: Identifier(userID)) else { return false }
        guard entries.values[index].connections > 1 else {
            entries.remove(at: index)
            encoded.remove(at: index)
            return true
        }
        entries.values[index].connections -= 1
        return false
    }

    /// Makes a roster of members that another process has sent.
    init(_ members: [PresenceMember]) {
        for member in members { _ = join(member) }
    }

    /// Encodes the members that have changed since the last call, so that ``encoded`` is complete.
    mutating func encode() {
        let entries = entries
        // in bounds: there are as many entries as members.
        encoded.refresh { PusherMember(userID: entries.keys[$0].text, infoJSON: entries.values[$0].info) }
    }
}
