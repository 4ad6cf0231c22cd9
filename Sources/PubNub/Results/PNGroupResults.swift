import PubNubProtocol

/// The names of groups.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNChannelGroupsData: PNServiceData, @unchecked Sendable {
    /// The names of the groups.
    public let groups: [String]

    init(_ groups: [String]) {
        self.groups = groups
    }
}

/// The answer to a request for all groups.
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

/// A group's channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNChannelGroupChannelsData: PNServiceData, @unchecked Sendable {
    /// The group's channels.
    public let channels: [String]

    init(_ channels: [String]) {
        self.channels = channels
    }
}

/// The answer to a request for a group's channels.
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
    /// The channels on which the device is notified.
    public let channels: [String]

    init(_ channels: [String]) {
        self.channels = channels
    }
}

/// The answer to a request for a device's channels.
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
