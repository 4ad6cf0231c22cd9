// A nil `uuid` stands for the client's own user.

/// A request that sets data about a user (App Context).
public final class PNSetUUIDMetadataRequest: PNBaseObjectsRequest {
    /// Your own fields by name. Each value is a string, a number, a boolean or null.
    public var custom: [AnyHashable: Any]?
    /// The user's id in a system of your own, such as your user database.
    public var externalId: String?
    /// The address of the user's picture.
    public var profileUrl: String?
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNUUIDFields = .customField
    /// The email address.
    public var email: String?
    /// The user's name.
    public var name: String?
    let uuid: String?

    /// A request that sets data about the user with the id `uuid`; nil stands for the client's own user.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// A request that removes the data about a user (App Context).
public final class PNRemoveUUIDMetadataRequest: PNBaseObjectsRequest {
    let uuid: String?

    /// A request that removes the data about the user with the id `uuid`; nil stands for the client's own user.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// A request for the data about a user (App Context).
public final class PNFetchUUIDMetadataRequest: PNBaseObjectsRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNUUIDFields = .customField
    let uuid: String?

    /// A request for the data about the user with the id `uuid`; nil stands for the client's own user.
    public init(uuid: String?) {
        self.uuid = uuid
        super.init()
    }
}

/// A request for the data about all users (App Context).
public final class PNFetchAllUUIDMetadataRequest: PNObjectsPaginatedRequest {
    /// The optional fields that the service includes in its answer.
    public var includeFields: PNUUIDFields = .totalCountField

    /// A request for the data about all users, by default for the first page.
    public override init() {
        super.init()
    }
}
