import PusherProtocol

/// The members of a presence channel, encoded for confirmations. Each member is encoded once, so making a confirmation only copies bytes.
///
/// Members are encoded in groups. When a member leaves, only its group is encoded again. A value.
struct EncodedMembers: Hashable, Sendable {
    private struct Group: Hashable, Sendable {
        var count = 0
        var text = PusherMemberText()
        /// Whether a member of the group has left since the group was encoded.
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

    /// Removes the member at an index, in the order of joining.
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

    /// Encodes again each group that a member has left.
    ///
    /// - Parameter member: returns the member at an index.
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

    /// The size, in bytes, of the encoded members in a confirmation.
    var byteCount: Int { groups.reduce(0) { $0 + $1.text.byteCount + 2 } }

    /// The encoded groups, in the order of joining. Call ``refresh(_:)`` before.
    var texts: [PusherMemberText] { groups.map(\.text) }
}
