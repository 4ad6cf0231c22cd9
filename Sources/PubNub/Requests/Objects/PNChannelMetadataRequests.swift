/// Describes data about a channel to set.
public final class PNSetChannelMetadataRequest: PNBaseObjectsRequest {
    /// Your own fields: strings, numbers and booleans.
    public var custom: [AnyHashable: Any]?
    /// What comes along.
    public var includeFields: PNChannelFields = .customField
    /// What the channel is for.
    public var information: String?
    /// The channel's name for people; empty for none.
    public var name = ""
    let channel: String

    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a channel whose data to remove.
public final class PNRemoveChannelMetadataRequest: PNBaseObjectsRequest {
    let channel: String

    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a channel whose data to fetch.
public final class PNFetchChannelMetadataRequest: PNBaseObjectsRequest {
    /// What comes along.
    public var includeFields: PNChannelFields = .customField
    let channel: String

    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes which channels' data to fetch.
public final class PNFetchAllChannelsMetadataRequest: PNObjectsPaginatedRequest {
    /// What comes along.
    public var includeFields: PNChannelFields = .totalCountField

    public override init() {
        super.init()
    }
}
