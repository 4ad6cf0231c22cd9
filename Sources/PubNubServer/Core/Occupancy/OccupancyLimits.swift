/// The limits of an application's presence (rules HB-61 to HB-62). A stay is the presence of one user on one channel.
package struct OccupancyLimits: Hashable, Sendable {
    /// The largest number of users of a channel.
    package var usersPerChannel: Int
    /// The largest number of channels of a user.
    package var channelsPerUser: Int
    /// The largest number of stays of an application; a user on several channels counts once for each channel.
    package var stays: Int
    /// The approximate memory limit of all stays in bytes: names, connections and states.
    package var bytes: Int
    /// The largest size in bytes of a user's presence state.
    package var stateBytes: Int
    /// The largest number of states that are kept for users who are not present.
    package var absentStates: Int
    /// The size limit in bytes of the states that are kept for users who are not present.
    package var absentBytes: Int

    package init(
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

/// Why a user was not added to a channel, or a state was not stored. The refused request changes nothing.
package enum OccupancyRefusal: Error, Hashable, Sendable {
    /// The user is already on `limit` channels.
    case tooManyChannels(limit: Int)
    /// The channel or the application has reached a limit of users or states.
    case full
    /// The state is longer than `limit` bytes.
    case stateTooLong(limit: Int)
}
