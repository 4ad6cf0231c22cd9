import Identifiers
import WireCoding

/// The members of a channel, derived from one here-now answer and from presence events. A value (rule LL-17).
///
/// The answer may or may not include events that arrive during the request. Such events are applied at once, stored, and applied again to
/// the answer. An event that the answer includes is thus applied twice, which is harmless: a second join of a user changes nothing.
struct ChannelRoster: Hashable, Sendable {
    private enum Change: Hashable, Sendable {
        case joined(Member)
        case left(String)
    }

    /// The number of the here-now request in progress; nil for none.
    private(set) var question: UInt64?
    private var infos: [Identifier: String?] = [:]
    private var meanwhile: [Change] = []

    var count: Int { infos.count }

    func contains(_ id: String) -> Bool { infos.keys.contains(Identifier(id)) }

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

    /// Applies the service's answer and the changes since the request. Returns the complete list of members.
    mutating func answered(_ members: [Member]) -> [Member] {
        // The members in the order of the answer; nil replaces a user who has left.
        var slots: [Member?] = []
        var position: [Identifier: Int] = [:]
        for change in members.map(Change.joined) + meanwhile {
            switch change {
            case .joined(let member):
                if let index = position[Identifier(member.id)], var known = slots[index] {
                    known.info = member.info ?? known.info
                    slots[index] = known
                } else {
                    position[Identifier(member.id)] = slots.count
                    slots.append(member)
                }
            case .left(let id):
                if let index = position.removeValue(forKey: Identifier(id)) { slots[index] = nil }
            }
        }
        let present = slots.compactMap { $0 }
        infos = Dictionary(present.map { (Identifier($0.id), $0.info) }) { $1 }
        question = nil
        meanwhile = []
        return present
    }

    /// Records that a user joined or changed state. An event without state does not change the known state.
    mutating func joined(_ id: String, info: String?) -> Member {
        let member = Member(id: id, info: info ?? infos[Identifier(id)] ?? nil)
        infos[Identifier(id)] = member.info
        if question != nil { meanwhile.append(.joined(member)) }
        return member
    }

    mutating func left(_ id: String) {
        infos[Identifier(id)] = nil
        if question != nil { meanwhile.append(.left(id)) }
    }
}
