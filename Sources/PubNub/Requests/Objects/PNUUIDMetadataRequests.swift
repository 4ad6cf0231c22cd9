// A nil `uuid` means the user of the client.

/// Describes data about a user to set.
public final class PNSetUUIDMetadataRequest: PNBaseObjectsRequest {
    /// Custom fields: strings, numbers and booleans.
    public var custom: [AnyHashable: Any]?
    /// The id in a system of yours.
    public var externalId: String?
    /// The address of the user's picture.
    public var profileUrl: String?
    /// The fields that the answer includes.
    public var includeFields: PNUUIDFields = .customField
    /// The email address.
    public var email: String?
    /// The user's name.
    public var name: String?
    let uuid: String?

    /// Sets the metadata of a user; nil for the client's own.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes a user whose data to remove.
public final class PNRemoveUUIDMetadataRequest: PNBaseObjectsRequest {
    let uuid: String?

    /// Removes the metadata of a user; nil for the client's own.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes a user whose data to fetch.
public final class PNFetchUUIDMetadataRequest: PNBaseObjectsRequest {
    /// The fields that the answer includes.
    public var includeFields: PNUUIDFields = .customField
    let uuid: String?

    /// Fetches the metadata of a user; nil for the client's own.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// Describes which users' data to fetch.
public final class PNFetchAllUUIDMetadataRequest: PNObjectsPaginatedRequest {
    /// The fields that the answer includes.
    public var includeFields: PNUUIDFields = .totalCountField

    /// Fetches the metadata of all users.
    public override init() {
        super.init()
    }
}
