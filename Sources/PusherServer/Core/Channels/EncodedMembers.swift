import PusherProtocol

/// The members of a presence channel as confirmations have them. Each member is encoded once, so a confirmation only copies bytes.
///
/// Members are encoded in groups, so that only one group is encoded again when a member leaves. A value.
struct EncodedMembers: Hashable, Sendable {
    private struct Group: Hashable, Sendable {
        var count = 0
        var text = PusherMemberText()
        /// Whether a member has left since the group was encoded.
        var isStale = false
    }

    private var groups: [Group] = []
    private(set) var count = 0

    private static let groupSize = 64

    /// Adds a member after all others.
    mutating func append(_ member: PusherMember) {
        if groups.last.map({ $0.count >= Self.groupSize }) ?? true { groups.append(Group()) }
        let last = groups.count - 1
        groups[last].count += 1
        groups[last].text.append(member)
        count += 1
    }

    /// Removes the member at an index.
    mutating func remove(at index: Int) {
        var first = 0
        for number in groups.indices {
            guard index >= first + groups[number].count else {
                groups[number].count -= 1
                groups[number].isStale = true
                count -= 1
                if groups[number].count == 0 { groups.remove(at: number) }
                return
            }
            first += groups[number].count
        }
    }

    /// Encodes the groups again that members have left.
    ///
    /// - Parameter member: the member at an index.
    mutating func refresh(_ member: (Int) -> PusherMember) {
        var first = 0
        for number in groups.indices {
            if groups[number].isStale {
                var text = PusherMemberText()
                for index in first..<(first + groups[number].count) { text.append(member(index)) }
                groups[number].text = text
                groups[number].isStale = false
            }
            first += groups[number].count
        }
    }

    /// The number of bytes that the members take in a confirmation.
    var byteCount: Int { groups.reduce(0) { $0 + $1.text.byteCount + 2 } }

    /// The encoded groups, in the order of joining. Call ``refresh(_:)`` before.
    var texts: [PusherMemberText] { groups.map(\.text) }
}
