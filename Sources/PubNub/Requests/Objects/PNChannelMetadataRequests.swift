/// A request that sets data about a channel (App Context).
public final class PNSetChannelMetadataRequest: PNBaseObjectsRequest {
    /// Your own fields by name. Each value is a string, a number, a boolean or null.
    public var custom: [AnyHashable: Any]?
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNChannelFields = .customField
    /// The channel's description.
    public var information: String?
    /// The channel's display name; empty for no name.
    public var name = ""
    let channel: String

    /// A request that sets data about `channel`.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// A request that removes the data about a channel (App Context).
public final class PNRemoveChannelMetadataRequest: PNBaseObjectsRequest {
    let channel: String

    /// A request that removes the data about `channel`.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// A request for the data about a channel (App Context).
public final class PNFetchChannelMetadataRequest: PNBaseObjectsRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNChannelFields = .customField
    let channel: String

    /// A request for the data about `channel`.
    public init(channel: String) {
        self.channel = channel
        super.init()
    }
}

/// A request for the data about all channels (App Context).
public final class PNFetchAllChannelsMetadataRequest: PNObjectsPaginatedRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNChannelFields = .totalCountField

    /// A request for the data about all channels, by default for the first page.
    public override init() {
        super.init()
    }
}
