import Identifiers

/// The parameters of a poll besides its subscription.
struct PollStart {
    var cursor: UInt64
    /// The position about which a handshake asks (rule PV-181); nil for none.
    var resumesAfter: UInt64?
    /// The presence timeout in seconds that the client requests.
    var heartbeat: Int?
    /// Presence state by channel or group, as JSON text.
    var state: [Identifier: [UInt8]]
    /// The cursor of a handshake: before the subscriber's own join. Nil until the subscriber has joined.
    var before: UInt64?

    /// Returns the same parameters, with the user joined.
    func begun(at cursor: UInt64) -> PollStart {
        var next = self
        next.before = cursor
        return next
    }

    /// A subscriber that exceeds the limits is not listed as present and still receives its messages (rule PV-114).
    func join(
        _ place: PresencePlace, _ user: OccupancyUser, at time: OccupancyTime, _ application: inout PubNubApplication.State,
        _ pending: inout PendingNotifications
    ) {
        application.occupancy.touch(
            place.channel, by: user, timeout: heartbeat, state: state(at: place), at: time, into: &pending.events)
    }

    /// Returns the state that the request sets for a place.
    func state(at place: PresencePlace) -> [UInt8]? {
        state.isEmpty ? nil : state[place.channel] ?? place.group.flatMap { state[$0] }
    }
}

/// The join of a subscriber with so many channels that it takes several turns of the event loop.
struct PollJoining {
    let places: [PresencePlace]
    let request: PollStart
    /// The number of the connection's request.
    let number: UInt32
}
