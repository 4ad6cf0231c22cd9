import Identifiers

/// The parameters of a poll without its subscriptions. They are needed until the poll is answered or held.
struct PollStart {
    var cursor: UInt64
    /// In a handshake, the position after which the client asks whether messages are missing (rule PV-181); nil when it does not ask.
    var resumesAfter: UInt64?
    /// The presence timeout in seconds that the client requests.
    var heartbeat: Int?
    /// Presence state by channel or group, as JSON text.
    var state: [Identifier: [UInt8]]
    /// The newest timetoken from before the subscriber joined its channels; nil until the subscriber has joined all of them. It is the
    /// cursor in the answer to a handshake.
    var before: UInt64?

    /// A copy of these parameters, with which the poll continues after the subscriber has joined its channels.
    ///
    /// - Parameter cursor: the newest timetoken from before the subscriber joined.
    func begun(at cursor: UInt64) -> PollStart {
        var next = self
        next.before = cursor
        return next
    }

    /// Makes the subscriber present on a channel. If a limit of presence is reached, the subscriber is not listed as present, but still
    /// receives its messages (rule PV-114).
    func join(
        _ place: PresencePlace, _ user: OccupancyUser, at time: OccupancyTime, _ application: inout PubNubApplication.State,
        _ pending: inout PendingNotifications
    ) {
        application.occupancy.touch(
            place.channel, by: user, timeout: heartbeat, state: state(at: place), at: time, into: &pending.events)
    }

    /// The presence state that the request sets for a channel, either directly or through the channel's group; nil when it sets no state.
    func state(at place: PresencePlace) -> [UInt8]? {
        state.isEmpty ? nil : state[place.channel] ?? place.group.flatMap { state[$0] }
    }
}

/// The state of a subscriber's join. A join of many channels is divided over several turns of the event loop.
struct PollJoining {
    let places: [PresencePlace]
    let request: PollStart
    /// The number of the request on its connection. By this number the join notices that meanwhile the request was answered or its
    /// connection was closed.
    let number: UInt32
}
