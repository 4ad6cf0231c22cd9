import ConnectionEngine
import Identifiers

/// The users who are typing in a channel, as a value (rule LL-121).
struct TypingRoster: Sendable {
    /// How long a user counts as typing after an announcement: as long as chat's clients show it (rule NH-42).
    static let lifetime: Duration = .seconds(6)
    /// The most users who are shown as typing at once. Other clients choose their own user ids, so further ones are not shown.
    static let mostUsers = 100
    /// The longest id of a user, in bytes.
    static let longestUser = 512

    private var deadlines: [Identifier: Moment] = [:]
    /// In the order in which they began.
    private(set) var users: [Identifier] = []

    var isEmpty: Bool { users.isEmpty }
    /// When the first of them expires; nil when no user is typing.
    var nextDeadline: Moment? { deadlines.values.min() }

    /// A user has begun to type.
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

    /// A user has stopped.
    ///
    /// - Returns: whether the user was typing before.
    mutating func stopped(_ user: String) -> Bool {
        let id = Identifier(user)
        guard deadlines.removeValue(forKey: id) != nil else { return false }
        users.removeAll { $0 == id }
        return true
    }

    /// Removes users whose time is over.
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
