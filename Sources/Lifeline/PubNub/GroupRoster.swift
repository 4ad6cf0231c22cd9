import Identifiers

/// The members of a group's channels, derived from one here-now answer and from presence events. A value (rule LL-118). Events that arrive
/// during the request are applied at once and again to the answer, for the reason given at ``ChannelRoster``.
struct GroupRoster: Hashable, Sendable {
    /// The members on one channel of the group.
    struct Channel: Hashable, Sendable {
        var name: String
        var members: [Member]
    }

    private enum Change: Hashable, Sendable {
        case joined(String, channel: String, info: String?)
        case left(String, channel: String)
    }

    /// The number of the here-now request in progress; nil for none.
    private(set) var question: UInt64?
    private var present = WildcardMembers()
    private var meanwhile: [Change] = []

    /// The number of known users on a channel of the group.
    func count(on channel: String) -> Int { present.count(on: channel) }

    /// Whether at least one user is known to be on a channel of the group.
    func knows(_ channel: String) -> Bool { present.count(on: channel) > 0 }

    /// Records that a here-now request was sent. The answer to an earlier request is ignored from now on.
    mutating func asked(_ number: UInt64) {
        question = number
        meanwhile = []
    }

    /// The request failed.
    mutating func failed() {
        question = nil
        meanwhile = []
    }

    /// Applies the service's answer and the changes since the request. Returns the users who are on at least one channel of the group.
    mutating func answered(_ channels: [Channel]) -> [Member] {
        present = WildcardMembers()
        for channel in channels {
            for member in channel.members { _ = present.joined(member.id, on: channel.name, info: member.info) }
        }
        for change in meanwhile {
            switch change {
            case .joined(let id, let channel, let info): _ = present.joined(id, on: channel, info: info)
            case .left(let id, let channel): _ = present.left(id, channel)
            }
        }
        question = nil
        meanwhile = []
        return present.members
    }

    /// Records that a user joined a channel of the group or changed state on it.
    mutating func joined(_ id: String, on channel: String, info: String?) -> Member {
        if question != nil { meanwhile.append(.joined(id, channel: channel, info: info)) }
        return present.joined(id, on: channel, info: info)
    }

    /// Records that a user left a channel of the group.
    ///
    /// - Returns: whether the user was on the channel and is now on none of the group's channels.
    mutating func left(_ id: String, _ channel: String) -> Bool {
        if question != nil { meanwhile.append(.left(id, channel: channel)) }
        return present.left(id, channel)
    }
}
