import PubNubProtocol

/// The names of all channel groups of the keyset.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNChannelGroupsData: PNServiceData, @unchecked Sendable {
    /// The names of the channel groups.
    public let groups: [String]

    init(_ groups: [String]) {
        self.groups = groups
    }
}

/// The answer to a request for the names of all channel groups.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNChannelGroupsResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNChannelGroupsData

    init(_ facts: ResultFacts, _ groups: [String]) {
        data = PNChannelGroupsData(groups)
        super.init(facts: facts)
    }
}

/// The names of the channels in a channel group.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNChannelGroupChannelsData: PNServiceData, @unchecked Sendable {
    /// The group's channels.
    public let channels: [String]

    init(_ channels: [String]) {
        self.channels = channels
    }
}

/// The answer to a request for the channels of a channel group.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNChannelGroupChannelsResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNChannelGroupChannelsData

    init(_ facts: ResultFacts, _ channels: [String]) {
        data = PNChannelGroupChannelsData(channels)
        super.init(facts: facts)
    }
}

/// The channels on which a device gets push notifications.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNAPNSEnabledChannelsData: PNServiceData, @unchecked Sendable {
    /// The names of the channels whose push notifications the device gets.
    public let channels: [String]

    init(_ channels: [String]) {
        self.channels = channels
    }
}

/// The answer to a request for the channels whose push notifications a device gets.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNAPNSEnabledChannelsResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNAPNSEnabledChannelsData

    init(_ facts: ResultFacts, _ channels: [String]) {
        data = PNAPNSEnabledChannelsData(channels)
        super.init(facts: facts)
    }
}
