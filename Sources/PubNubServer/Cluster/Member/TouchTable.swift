import Identifiers

/// The presence part of a poll. A repetition with equal values changes nothing.
struct TouchedRequest: Hashable, Sendable {
    /// The bytes of the request that name its channels and groups.
    var sources: [UInt8]
    /// Changes when the groups among the sources have other channels than before (``PollSources/placesHash(_:)``).
    var places = 0
    var timeout: Int?
    var state: [Identifier: [UInt8]]
}

/// The subscribers that the leader was notified of within the last one or two seconds: on a busy channel polls follow each other
/// closely, and each one reports that its user is present (rule CB-31).
struct TouchTable: Sendable {
    /// A user of one keyset, which is identified by its number.
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

    /// Removes entries that are older than the previous call.
    mutating func age() {
        previous = current
        current = [:]
        count = previous.count
    }

    mutating func removeAll() { (current, previous, count) = ([:], [:], 0) }
}
