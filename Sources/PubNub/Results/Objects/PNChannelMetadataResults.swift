import PubNubProtocol
import WireCoding

// The results of calls about App Context: metadata of users, channels and memberships.

/// Data about a channel after it was set.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNSetChannelMetadataData: PNServiceData, @unchecked Sendable {
    /// The channel's metadata; nil when the service returned none.
    public let metadata: PNChannelMetadata?

    init(_ objects: PubNubObjects?) {
        metadata = objects?.object.map { PNChannelMetadata($0) }
    }
}

/// The outcome of setting data about a channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNSetChannelMetadataStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The channel's metadata after the change.
    public let data: PNSetChannelMetadataData

    init(_ outcome: CallOutcome<PubNubObjects>) {
        data = PNSetChannelMetadataData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// The metadata of a channel, as the service returned it.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchChannelMetadataData: PNServiceData, @unchecked Sendable {
    /// The channel's metadata; nil when the service returned none.
    public let metadata: PNChannelMetadata?

    init(_ objects: PubNubObjects?) {
        metadata = objects?.object.map { PNChannelMetadata($0) }
    }
}

/// The answer to a request for data about a channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFetchChannelMetadataResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNFetchChannelMetadataData

    init(_ facts: ResultFacts, _ objects: PubNubObjects) {
        data = PNFetchChannelMetadataData(objects)
        super.init(facts: facts)
    }
}

/// One page of the metadata of all channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchAllChannelsMetadataData: PNServiceData, @unchecked Sendable {
    /// The metadata of the page's channels.
    public let metadata: [PNChannelMetadata]
    /// The cursor of the next page, for `start` of the next request; nil on the last page.
    public let next: String?
    /// The cursor of the previous page, for `end` of the next request; nil on the first page.
    public let prev: String?
    /// The total number of results; 0 when it was not requested.
    public let totalCount: UInt

    init(_ objects: PubNubObjects?) {
        metadata = (objects?.list ?? []).map { PNChannelMetadata($0) }
        next = objects?.next
        prev = objects?.previous
        totalCount = UInt(clamping: objects?.totalCount ?? 0)
    }
}

/// The answer to a request for data about all channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFetchAllChannelsMetadataResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNFetchAllChannelsMetadataData

    init(_ facts: ResultFacts, _ objects: PubNubObjects) {
        data = PNFetchAllChannelsMetadataData(objects)
        super.init(facts: facts)
    }
}
