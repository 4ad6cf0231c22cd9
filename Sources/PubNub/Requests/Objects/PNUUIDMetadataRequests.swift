// A nil `uuid` means the user of the client.

/// Describes data about a user to set.
public final class PNSetUUIDMetadataRequest: PNBaseObjectsRequest {
    /// Your own fields: strings, numbers and booleans.
    public var custom: [AnyHashable: Any]?
    /// The id in a system of yours.
    public var externalId: String?
    /// Where the user's picture is.
    public var profileUrl: String?
    /// What comes along.
    public var includeFields: PNUUIDFields = .customField
    /// The mail address.
    public var email: String?
    /// The user's name.
    public var name: String?
    let uuid: String?

    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes a user whose data to remove.
public final class PNRemoveUUIDMetadataRequest: PNBaseObjectsRequest {
    let uuid: String?

    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes a user whose data to fetch.
public final class PNFetchUUIDMetadataRequest: PNBaseObjectsRequest {
    /// What comes along.
    public var includeFields: PNUUIDFields = .customField
    let uuid: String?

    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes which users' data to fetch.
public final class PNFetchAllUUIDMetadataRequest: PNObjectsPaginatedRequest {
    /// What comes along.
    public var includeFields: PNUUIDFields = .totalCountField

    public override init() {
        super.init()
    }
}
