import PubNubProtocol
import WireCoding

// The results of calls about App Context: metadata of users, channels and memberships.

/// Data about a user after it was set.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNSetUUIDMetadataData: PNServiceData, @unchecked Sendable {
    /// The user's metadata; nil when the service returned none.
    public let metadata: PNUUIDMetadata?

    init(_ objects: PubNubObjects?) {
        metadata = objects?.object.map { PNUUIDMetadata($0) }
    }
}

/// The outcome of setting data about a user.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNSetUUIDMetadataStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The user's metadata after the change.
    public let data: PNSetUUIDMetadataData

    init(_ outcome: CallOutcome<PubNubObjects>) {
        data = PNSetUUIDMetadataData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// The metadata of a user, as the service returned it.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchUUIDMetadataData: PNServiceData, @unchecked Sendable {
    /// The user's metadata; nil when the service returned none.
    public let metadata: PNUUIDMetadata?

    init(_ objects: PubNubObjects?) {
        metadata = objects?.object.map { PNUUIDMetadata($0) }
    }
}

/// The answer to a request for data about a user.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFetchUUIDMetadataResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNFetchUUIDMetadataData

    init(_ facts: ResultFacts, _ objects: PubNubObjects) {
        data = PNFetchUUIDMetadataData(objects)
        super.init(facts: facts)
    }
}

/// One page of the metadata of all users.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchAllUUIDMetadataData: PNServiceData, @unchecked Sendable {
    /// The metadata of the page's users.
    public let metadata: [PNUUIDMetadata]
    /// The cursor of the next page, for `start` of the next request; nil on the last page.
    public let next: String?
    /// The cursor of the previous page, for `end` of the next request; nil on the first page.
    public let prev: String?
    /// The total number of results; 0 when it was not requested.
    public let totalCount: UInt

    init(_ objects: PubNubObjects?) {
        metadata = (objects?.list ?? []).map { PNUUIDMetadata($0) }
        next = objects?.next
        prev = objects?.previous
        totalCount = UInt(clamping: objects?.totalCount ?? 0)
    }
}

/// The answer to a request for data about all users.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFetchAllUUIDMetadataResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNFetchAllUUIDMetadataData

    init(_ facts: ResultFacts, _ objects: PubNubObjects) {
        data = PNFetchAllUUIDMetadataData(objects)
        super.init(facts: facts)
    }
}
