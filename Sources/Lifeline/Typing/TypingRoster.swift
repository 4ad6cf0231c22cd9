import ConnectionEngine
import Identifiers

/// The users who are typing in a channel, as a value (rule LL-121).
struct TypingRoster: Sendable {
    /// How long a user counts as typing after a typing message: the time for which chat's clients show the indicator (rule NH-42).
    static let lifetime: Duration = .seconds(6)
    /// The most users who are stored as typing at once. The number is bounded, because other clients choose their own user ids.
    static let mostUsers = 100
    /// The longest accepted user id, in bytes.
    static let longestUser = 512

    private var deadlines: [Identifier: Moment] = [:]
    /// The typing users, in the order in which they began.
    private(set) var users: [Identifier] = []

    var isEmpty: Bool { users.isEmpty }
    /// When the first of the typing users expires; nil when no user is typing.
    var nextDeadline: Moment? { deadlines.values.min() }

    /// Records that a user is typing.
    ///
    /// - Returns: whether the user was not typing before.
    mutating func began(_ user: String, at now: Moment) -> Bool {
        let id = Identifier(user)
        let isNew = deadlines[id] == nil
        if isNew {
            guard users.count < Self.mostUsers, user.utf8.count <= Self.longestUser else { return false }
            users.append(id)
        }
        deadlines[id] = now + Self.lifetime
        return isNew
    }

    /// Records that a user has stopped typing.
    ///
    /// - Returns: whether the user was typing before.
    mutating func stopped(_ user: String) -> Bool {
        let id = Identifier(user)
        guard deadlines.removeValue(forKey: id) != nil else { return false }
        users.removeAll { $0 == id }
        return true
    }

    /// Removes users whose last typing message is older than ``lifetime``.
    ///
    /// - Returns: whether any user was removed.
    mutating func expire(at now: Moment) -> Bool {
        let count = users.count
        users.removeAll { id in
            guard let deadline = deadlines[id], deadline > now else {
                deadlines[id] = nil
                return true
            }
            return false
        }
        return users.count < count
    }
}
