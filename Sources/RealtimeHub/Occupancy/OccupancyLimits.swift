/// How much presence an application may have (rules HB-61 to HB-62). A stay is one user on one channel.
public struct OccupancyLimits: Hashable, Sendable {
    /// Users of a channel.
    public var usersPerChannel: Int
    /// Channels of a user.
    public var channelsPerUser: Int
    /// Stays of an application.
    public var stays: Int
    /// Bytes of all stays, roughly: names, connections and states.
    public var bytes: Int
    /// Bytes of a state.
    public var stateBytes: Int
    /// States of absent users, and their bytes.
    public var absentStates: Int
    /// The size of the states of users who are away, in bytes.
    public var absentBytes: Int

    /// Makes a value with these properties.
    public init(
        usersPerChannel: Int = 100_000, channelsPerUser: Int = 20_000, stays: Int = 200_000, bytes: Int = 192 << 20,
        stateBytes: Int = 8192, absentStates: Int = 10_000, absentBytes: Int = 8 << 20
    ) {
        self.usersPerChannel = usersPerChannel
        self.channelsPerUser = channelsPerUser
        self.stays = stays
        self.bytes = bytes
        self.stateBytes = stateBytes
        self.absentStates = absentStates
        self.absentBytes = absentBytes
    }
}

/// Why a user is not on a channel after a touch, or a state was not kept. Nothing has changed then.
public enum OccupancyRefusal: Error, Hashable, Sendable {
    /// The user is on as many channels as a user may be.
    case tooManyChannels(limit: Int)
    /// The channel or the application has no room for another user or state.
    case full
    /// The state is too long.
    case stateTooLong(limit: Int)
}
