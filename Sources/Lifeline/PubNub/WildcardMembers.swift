import Identifiers
import WireCoding

/// The members on the channels that a wildcard covers, as far as presence events have reported them. A value (rule LL-57).
struct WildcardMembers: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var member: Member
        var channels: Set<Identifier>
        /// The index of the user in ``order``.
        var place: Int
    }

    /// The member and its channels, by user id.
    private var entries: [Identifier: Entry] = [:]
    /// The user ids in the order in which the users joined; nil replaces a user who has left (rule LL-146).
    private var order: [Identifier?] = []

    /// The users who are on at least one covered channel.
    var members: [Member] { order.compactMap { user in user.flatMap { entries[$0]?.member } } }

    /// The number of users on one covered channel.
    func count(on channel: String) -> Int {
        let channel = Identifier(channel)
        return entries.values.reduce(0) { $0 + ($1.channels.contains(channel) ? 1 : 0) }
    }

    func contains(_ id: String) -> Bool { entries[Identifier(id)] != nil }

    /// Records that a user joined a channel or changed state on it. An event without state does not change the known state.
    mutating func joined(_ id: String, on channel: String, info: String?) -> Member {
        let user = Identifier(id)
        if entries[user] == nil { order.append(user) }
        var entry = entries[user] ?? Entry(member: Member(id: id), channels: [], place: order.count - 1)
        entry.member.info = info ?? entry.member.info
        entry.channels.insert(Identifier(channel))
        entries[user] = entry
        return entry.member
    }

    /// Records that a user left a channel.
    ///
    /// - Returns: whether the user was on the channel and is now on none of the covered channels.
    mutating func left(_ id: String, _ channel: String) -> Bool {
        let user = Identifier(id)
        guard entries[user]?.channels.remove(Identifier(channel)) != nil, let entry = entries[user], entry.channels.isEmpty
        else { return false }
        entries[user] = nil
        order[entry.place] = nil
        if order.count > 2 * entries.count + 32 { close() }
        return true
    }

    /// Removes the empty entries of `order`.
    private mutating func close() {
        order.removeAll { $0 == nil }
        for (place, user) in order.enumerated() {
            if let user { entries[user]?.place = place }
        }
    }
}
