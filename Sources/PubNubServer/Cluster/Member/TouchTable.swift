import Identifiers

/// The presence part of a poll. If two polls have equal parts, the second one need not be reported to the leader.
struct TouchedRequest: Hashable, Sendable {
    /// The bytes of the request that name its channels and groups.
    var sources: [UInt8]
    /// A hash of the channels of the groups among `sources`; it changes with these channels (``PollSources/placesHash(_:)``).
    var places = 0
    var timeout: Int?
    var state: [Identifier: [UInt8]]
}

/// The subscribers whose presence was reported to the leader within the last one or two seconds. On a busy channel a subscriber polls
/// often, and without this table each poll would report the same presence (rule CB-31).
struct TouchTable: Sendable {
    /// A user of one keyset; `application` is the number of the keyset.
    private struct User: Hashable, Sendable {
        var application: Int
        var id: Identifier
    }

    private var current: [User: [Identifier: TouchedRequest]] = [:]
    private var previous: [User: [Identifier: TouchedRequest]] = [:]
    private var count = 0

    /// The number of entries at which the table is emptied.
    static let capacity = 100_000

    func contains(_ request: TouchedRequest, of user: OccupancyUser, _ application: Int) -> Bool {
        let key = User(application: application, id: user.id)
        return current[key]?[user.connection] == request || previous[key]?[user.connection] == request
    }

    mutating func insert(_ request: TouchedRequest, of user: OccupancyUser, _ application: Int) {
        if count >= Self.capacity { (current, previous, count) = ([:], [:], 0) }
        count += 1
        let key = User(application: application, id: user.id)
        previous[key]?[user.connection] = nil
        current[key, default: [:]][user.connection] = request
    }

    mutating func remove(_ user: Identifier, _ application: Int) {
        let key = User(application: application, id: user)
        current[key] = nil
        previous[key] = nil
    }

    /// Removes entries that were added before the previous call of this method.
    mutating func age() {
        previous = current
        current = [:]
        count = previous.count
    }

    mutating func removeAll() { (current, previous, count) = ([:], [:], 0) }
}
