import Identifiers
import ServerValues

/// One user who is present on one channel.
struct OccupancyMember: Sendable {
    struct Connection: Sendable {
        var id: Identifier
        var deadline: MonotonicInstant
        /// The number of seconds without a request after which the connection times out.
        var timeout: Int
    }

    /// The largest number of connections of each user on a channel. A new connection beyond it replaces the one that would time out first.
    static let connectionLimit = 32

    /// A number that distinguishes this stay on the channel from earlier ones of the same user.
    let stay: UInt64
    let user: Identifier
    var state: [UInt8]?
    /// The user or client address whose share of the limits the user's presence uses; nil when it counts against no share.
    let owner: Identifier?
    private(set) var connections: [Connection] = []
    /// When the user's presence timeout is checked next.
    var scheduled = MonotonicInstant(nanoseconds: .max)

    init(stay: UInt64, user: Identifier, state: [UInt8]?, owner: Identifier? = nil) {
        self.owner = owner
        self.stay = stay
        self.user = user
        self.state = state
    }

    /// When the user's last connection times out, so that the user is no longer present.
    var deadline: MonotonicInstant { connections.lazy.map(\.deadline).max() ?? MonotonicInstant(nanoseconds: .min) }

    /// The connections as they are stored, without deadlines.
    var kept: [OccupancyRecord.Connection] { connections.map { OccupancyRecord.Connection(id: $0.id, timeout: $0.timeout) } }

    /// The approximate memory of the user's presence on the channel in bytes, including table entries.
    var cost: Int {
        user.utf8.count + (state?.count ?? 0) + connections.reduce(600) { $0 + 64 + $1.id.utf8.count }
    }

    /// Adds a connection, or extends its deadline.
    ///
    /// - Parameter limit: the largest number of connections. At this number, a new connection replaces the one that would time out first.
    mutating func refresh(_ connection: Identifier, until deadline: MonotonicInstant, timeout: Int, limit: Int) {
        if let index = connections.firstIndex(where: { $0.id == connection }) {
            connections[index].deadline = deadline
            connections[index].timeout = timeout
            return
        }
        if connections.count >= max(1, limit),
            let first = connections.indices.min(by: { connections[$0].deadline < connections[$1].deadline })
        {
            connections.remove(at: first)
        }
        connections.append(Connection(id: connection, deadline: deadline, timeout: timeout))
    }

    /// Removes connections that have timed out, then adds a connection or extends its deadline.
    mutating func touch(
        _ connection: Identifier, until deadline: MonotonicInstant, timeout: Int, limit: Int, at now: MonotonicInstant
    ) {
        _ = expire(at: now)
        refresh(connection, until: deadline, timeout: timeout, limit: limit)
    }

    /// Ends a connection. An empty name ends all connections of the user. An unknown name ends the connection that has no name, if there is
    /// one. Returns true when no connection remains.
    mutating func end(_ connection: Identifier, at now: MonotonicInstant) -> Bool {
        _ = expire(at: now)
        if connection.isEmpty {
            connections = []
        } else {
            let isKnown = connections.contains { $0.id == connection }
            connections.removeAll { isKnown ? $0.id == connection : $0.id.isEmpty }
        }
        return connections.isEmpty
    }

    /// Compares the user's presence timeout with the scheduled check of this timeout. If the timeout is earlier, moves the check to the
    /// time of the timeout and returns this time; otherwise returns nil.
    mutating func replan() -> MonotonicInstant? {
        guard !connections.isEmpty, deadline < scheduled else { return nil }
        scheduled = deadline
        return scheduled
    }

    /// Ends connections that have timed out. Returns true when no connection remains.
    mutating func expire(at now: MonotonicInstant) -> Bool {
        connections.removeAll { $0.deadline <= now }
        return connections.isEmpty
    }
}

/// The users on a channel, in the order in which they joined, with constant time for each change.
struct OccupancyRoster: Sendable {
    private var slots: [OccupancyMember?] = []
    private var positions: [Identifier: Int] = [:]

    var count: Int { positions.count }
    var isEmpty: Bool { positions.isEmpty }

    subscript(user: Identifier) -> OccupancyMember? {
        positions[user].flatMap { slots[$0] }
    }

    mutating func insert(_ member: OccupancyMember) {
        positions[member.user] = slots.count
        slots.append(member)
    }

    /// Removes a member; nil when the user is not on the channel. `moves` is the number of other members whose positions in the array have
    /// changed: on average at most two for each removed member.
    mutating func remove(_ user: Identifier) -> (member: OccupancyMember, moves: Int)? {
        guard let position = positions.removeValue(forKey: user), let member = slots[position] else { return nil }
        slots[position] = nil
        guard slots.count > 2 * count + 16 else { return (member, 0) }
        slots.removeAll { $0 == nil }
        for (position, member) in slots.enumerated() {
            if let member { positions[member.user] = position }
        }
        return (member, slots.count)
    }

    /// Changes a member in place; nil when the user is not on the channel.
    mutating func update<Result>(_ user: Identifier, _ change: (inout OccupancyMember) -> Result) -> Result? {
        guard let position = positions[user], var member = slots[position] else { return nil }
        // The member is removed from the array during the change. With a second reference in the array, the change would copy the member's
        // connections.
        slots[position] = nil
        defer { slots[position] = member }
        return change(&member)
    }

    func page(offset: Int, limit: Int) -> [Occupant] {
        slots.lazy.compactMap { $0 }.dropFirst(max(0, offset)).prefix(max(0, limit)).map {
            Occupant(user: $0.user, state: $0.state)
        }
    }
}
