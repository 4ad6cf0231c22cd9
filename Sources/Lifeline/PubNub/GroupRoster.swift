import Identifiers

/// The members of a group's channels, derived from one here-now answer and from presence events. A value (rule LL-118). As in
/// ``ChannelRoster``, events that arrive during the request are applied at once, and again to the answer.
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

    /// The number of the request in progress, if any.
    private(set) var question: UInt64?
    private var present = WildcardMembers()
    private var meanwhile: [Change] = []

    /// How many users are known on a channel.
    func count(on channel: String) -> Int { present.count(on: channel) }

    /// Whether a user is known on a channel.
    func knows(_ channel: String) -> Bool { present.count(on: channel) > 0 }

    /// A here-now request was sent; the one before is ignored from now on.
    mutating func asked(_ number: UInt64) {
        question = number
        meanwhile = []
    }

    /// The request failed.
    mutating func failed() {
        question = nil
        meanwhile = []
    }

    /// The members on at least one channel: the service's answer with the changes since the request.
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

    /// A user joined a channel or changed state there.
    mutating func joined(_ id: String, on channel: String, info: String?) -> Member {
        if question != nil { meanwhile.append(.joined(id, channel: channel, info: info)) }
        return present.joined(id, on: channel, info: info)
    }

    /// - Returns: whether the user was there and is now on none of the channels.
    mutating func left(_ id: String, _ channel: String) -> Bool {
        if question != nil { meanwhile.append(.left(id, channel: channel)) }
        return present.left(id, channel)
    }
}
