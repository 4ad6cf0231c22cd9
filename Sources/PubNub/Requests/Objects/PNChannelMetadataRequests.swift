/// Describes data about a channel to set.
public final class PNSetChannelMetadataRequest: PNBaseObjectsRequest {
    /// Custom fields: strings, numbers and booleans.
    public var custom: [AnyHashable: Any]?
    /// The fields that the answer includes.
    public var includeFields: PNChannelFields = .customField
    /// The channel's description.
    public var information: String?
    /// The channel's display name; empty for none.
    public var name = ""
    let channel: String

    /// Sets the metadata of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a channel whose data to remove.
public final class PNRemoveChannelMetadataRequest: PNBaseObjectsRequest {
    let channel: String

    /// Removes the metadata of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a channel whose data to fetch.
public final class PNFetchChannelMetadataRequest: PNBaseObjectsRequest {
    /// The fields that the answer includes.
    public var includeFields: PNChannelFields = .customField
    let channel: String

    /// Fetches the metadata of a channel.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes which channels' data to fetch.
public final class PNFetchAllChannelsMetadataRequest: PNObjectsPaginatedRequest {
    /// The fields that the answer includes.
    public var includeFields: PNChannelFields = .totalCountField

    /// Fetches the metadata of all channels.
    public override init() {
        super.init()
    }
}
