import Identifiers

/// The parameters of a poll that are needed until it is answered or held, without its subscriptions.
struct PollStart {
    var cursor: UInt64
    /// In a handshake, the position after which the client asks whether messages are missing (rule PV-181); nil when it does not ask.
    var resumesAfter: UInt64?
    /// The presence timeout in seconds that the client requests.
    var heartbeat: Int?
    /// Presence state by channel or group, as JSON text.
    var state: [Identifier: [UInt8]]
    /// The newest timetoken before the subscriber joined, which is the cursor of a handshake; nil until the subscriber has joined all of
    /// its channels.
    var before: UInt64?

    /// A copy of these parameters with which the poll continues after the subscriber has joined its channels. `cursor` is the newest
    /// timetoken from before the join.
    func begun(at cursor: UInt64) -> PollStart {
        var next = self
        next.before = cursor
        return next
    }

    /// Makes the subscriber present on a channel. A subscriber beyond the limits is not listed as present, but still receives its messages
    /// (rule PV-114).
    func join(
        _ place: PresencePlace, _ user: OccupancyUser, at time: OccupancyTime, _ application: inout PubNubApplication.State,
        _ pending: inout PendingNotifications
    ) {
        application.occupancy.touch(
            place.channel, by: user, timeout: heartbeat, state: state(at: place), at: time, into: &pending.events)
    }

    /// The presence state that the request sets for a channel, directly or through its group; nil when it sets none.
    func state(at place: PresencePlace) -> [UInt8]? {
        state.isEmpty ? nil : state[place.channel] ?? place.group.flatMap { state[$0] }
    }
}

/// The join of a subscriber that is divided over several turns of the event loop, because it has many channels.
struct PollJoining {
    let places: [PresencePlace]
    let request: PollStart
    /// The number of the request on its connection. It shows whether the request was answered, or its connection was closed, while channels
    /// were being joined.
    let number: UInt32
}
