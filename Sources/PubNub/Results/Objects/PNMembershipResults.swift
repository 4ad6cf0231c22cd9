import Foundation
import PubNubProtocol
import WireCoding

// Results of App Context calls.

/// A user's membership in a channel, seen from the channel.
public final class PNChannelMember: Sendable {
    /// Data about the user, when it was requested.
    public let metadata: PNUUIDMetadata?
    /// The user's id.
    public let uuid: String
    /// When the membership was last changed.
    public let updated: Date
    /// A value that changes with every change of the metadata.
    public let eTag: String
    private let customText: String?

    init(_ object: JSONText) {
        let user = object["uuid"]
        uuid = user?["id"]?.string ?? ""
        metadata = user.map { PNUUIDMetadata($0) }
        updated = ObjectDate.parse(object["updated"]?.string)
        eTag = object["eTag"]?.string ?? ""
        customText = object["custom"]?.text
    }

    /// The custom fields.
    public var custom: [AnyHashable: Any]? { customText.flatMap { FoundationJSON.value($0) } as? [String: Any] }
}

/// A user's memberships after they were changed.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNManageMembershipsData: PNServiceData, @unchecked Sendable {
    /// The memberships.
    public let memberships: [PNMembership]
    /// The `start` of the next page; nil at the end.
    public let next: String?
    /// The `end` of the previous page; nil at the beginning.
    public let prev: String?
    /// The total number of results; 0 when it was not requested.
    public let totalCount: UInt

    init(_ objects: PubNubObjects?) {
        memberships = (objects?.list ?? []).map { PNMembership($0) }
        next = objects?.next
        prev = objects?.previous
        totalCount = UInt(clamping: objects?.totalCount ?? 0)
    }
}

/// The outcome of changing a user's memberships.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNManageMembershipsStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The details of the answer.
    public let data: PNManageMembershipsData

    init(_ outcome: CallOutcome<PubNubObjects>) {
        data = PNManageMembershipsData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// A user's memberships.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchMembershipsData: PNServiceData, @unchecked Sendable {
    /// The memberships.
    public let memberships: [PNMembership]
    /// The `start` of the next page; nil at the end.
    public let next: String?
    /// The `end` of the previous page; nil at the beginning.
    public let prev: String?
    /// The total number of results; 0 when it was not requested.
    public let totalCount: UInt

    init(_ objects: PubNubObjects?) {
        memberships = (objects?.list ?? []).map { PNMembership($0) }
        next = objects?.next
        prev = objects?.previous
        totalCount = UInt(clamping: objects?.totalCount ?? 0)
    }
}

/// The answer to a request for a user's memberships.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFetchMembershipsResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNFetchMembershipsData

    init(_ facts: ResultFacts, _ objects: PubNubObjects) {
        data = PNFetchMembershipsData(objects)
        super.init(facts: facts)
    }
}

/// A channel's members after they were changed.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNManageChannelMembersData: PNServiceData, @unchecked Sendable {
    /// The members.
    public let members: [PNChannelMember]
    /// The `start` of the next page; nil at the end.
    public let next: String?
    /// The `end` of the previous page; nil at the beginning.
    public let prev: String?
    /// The total number of results; 0 when it was not requested.
    public let totalCount: UInt

    init(_ objects: PubNubObjects?) {
        members = (objects?.list ?? []).map { PNChannelMember($0) }
        next = objects?.next
        prev = objects?.previous
        totalCount = UInt(clamping: objects?.totalCount ?? 0)
    }
}

/// The outcome of changing a channel's members.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNManageChannelMembersStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The details of the answer.
    public let data: PNManageChannelMembersData

    init(_ outcome: CallOutcome<PubNubObjects>) {
        data = PNManageChannelMembersData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// A channel's members.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchChannelMembersData: PNServiceData, @unchecked Sendable {
    /// The members.
    public let members: [PNChannelMember]
    /// The `start` of the next page; nil at the end.
    public let next: String?
    /// The `end` of the previous page; nil at the beginning.
    public let prev: String?
    /// The total number of results; 0 when it was not requested.
    public let totalCount: UInt

    init(_ objects: PubNubObjects?) {
        members = (objects?.list ?? []).map { PNChannelMember($0) }
        next = objects?.next
        prev = objects?.previous
        totalCount = UInt(clamping: objects?.totalCount ?? 0)
    }
}

/// The answer to a request for a channel's members.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFetchChannelMembersResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNFetchChannelMembersData

    init(_ facts: ResultFacts, _ objects: PubNubObjects) {
        data = PNFetchChannelMembersData(objects)
        super.init(facts: facts)
    }
}
