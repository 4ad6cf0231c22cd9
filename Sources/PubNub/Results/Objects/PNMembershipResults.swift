import Foundation
import PubNubProtocol
import WireCoding

// The results of calls about App Context: metadata of users, channels and memberships.

/// A member of a channel: the user, and the data of the user's membership in this channel.
public final class PNChannelMember: Sendable {
    /// The user's metadata; nil unless the request asked for it.
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

/// One page of a user's memberships after a change.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNManageMembershipsData: PNServiceData, @unchecked Sendable {
    /// The memberships.
    public let memberships: [PNMembership]
    /// The cursor of the next page, for `start` of the next request; nil on the last page.
    public let next: String?
    /// The cursor of the previous page, for `end` of the next request; nil on the first page.
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
    /// One page of the user's memberships after the change.
    public let data: PNManageMembershipsData

    init(_ outcome: CallOutcome<PubNubObjects>) {
        data = PNManageMembershipsData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// One page of a user's memberships.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchMembershipsData: PNServiceData, @unchecked Sendable {
    /// The memberships.
    public let memberships: [PNMembership]
    /// The cursor of the next page, for `start` of the next request; nil on the last page.
    public let next: String?
    /// The cursor of the previous page, for `end` of the next request; nil on the first page.
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

/// One page of a channel's members after a change.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNManageChannelMembersData: PNServiceData, @unchecked Sendable {
    /// The members.
    public let members: [PNChannelMember]
    /// The cursor of the next page, for `start` of the next request; nil on the last page.
    public let next: String?
    /// The cursor of the previous page, for `end` of the next request; nil on the first page.
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
    /// One page of the channel's members after the change.
    public let data: PNManageChannelMembersData

    init(_ outcome: CallOutcome<PubNubObjects>) {
        data = PNManageChannelMembersData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// One page of a channel's members.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchChannelMembersData: PNServiceData, @unchecked Sendable {
    /// The members.
    public let members: [PNChannelMember]
    /// The cursor of the next page, for `start` of the next request; nil on the last page.
    public let next: String?
    /// The cursor of the previous page, for `end` of the next request; nil on the first page.
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
