import Identifiers
import WireCoding

/// The members on the channels below a wildcard, as far as presence events have reported them, as a value (rule LL-57).
struct WildcardMembers: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var member: Member
        var channels: Set<Identifier>
        /// Its index in ``order``.
        var place: Int
    }

    /// By user, in the order of arrival.
    private var entries: [Identifier: Entry] = [:]
    /// Nil in the place of a user who has left (rule LL-146).
    private var order: [Identifier?] = []

    /// Everybody who is on at least one channel.
    var members: [Member] { order.compactMap { user in user.flatMap { entries[$0]?.member } } }

    /// How many users are on a channel.
    func count(on channel: String) -> Int {
        let channel = Identifier(channel)
        return entries.values.reduce(0) { $0 + ($1.channels.contains(channel) ? 1 : 0) }
    }

    func contains(_ id: String) -> Bool { entries[Identifier(id)] != nil }

    /// A user joined a channel or changed state there. An event without state keeps the known state.
    mutating func joined(_ id: String, on channel: String, info: String?) -> Member {
        let user = Identifier(id)
        if entries[user] == nil { order.append(user) }
        var entry = entries[user] ?? Entry(member: Member(id: id), channels: [], place: order.count - 1)
        entry.member.info = info ?? entry.member.info
        entry.channels.insert(Identifier(channel))
        entries[user] = entry
        return entry.member
    }

    /// - Returns: whether the user was there and is now on none of the channels.
    mutating func left(_ id: String, _ channel: String) -> Bool {
        let user = Identifier(id)
        guard entries[user]?.channels.remove(Identifier(channel)) != nil, let entry = entries[user], entry.channels.isEmpty
        else { return false }
        entries[user] = nil
        order[entry.place] = nil
        if order.count > 2 * entries.count + 32 { close() }
        return true
    }

    /// Removes the empty places.
    private mutating func close() {
        order.removeAll { $0 == nil }
        for (place, user) in order.enumerated() {
            if let user { entries[user]?.place = place }
        }
    }
}
