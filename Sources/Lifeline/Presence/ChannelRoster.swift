import Identifiers
import WireCoding

/// The members of a channel, derived from one here-now answer and from presence events. A value (rule LL-17).
///
/// The answer may or may not include events that arrive during the request. They are applied at once, stored, and applied again to the
/// answer: joining twice changes nothing.
struct ChannelRoster: Hashable, Sendable {
    private enum Change: Hashable, Sendable {
        case joined(Member)
        case left(String)
    }

    /// The number of the request in progress, if any.
    private(set) var question: UInt64?
    private var infos: [Identifier: String?] = [:]
    private var meanwhile: [Change] = []

    var count: Int { infos.count }

    func contains(_ id: String) -> Bool { infos.keys.contains(Identifier(id)) }

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

    /// The complete list of members: the service's answer with the changes since the request.
    mutating func answered(_ members: [Member]) -> [Member] {
        // Nil in the place of a user who has left.
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

    /// A user joined or changed state. An event without state keeps the known state.
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
