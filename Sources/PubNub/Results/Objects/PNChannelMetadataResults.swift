import PubNubProtocol
import WireCoding

// Results of App Context calls.

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
    /// The details of the answer.
    public let data: PNSetChannelMetadataData

    init(_ outcome: CallOutcome<PubNubObjects>) {
        data = PNSetChannelMetadataData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// Data about a channel.
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

/// Data about channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchAllChannelsMetadataData: PNServiceData, @unchecked Sendable {
    /// The metadata of the channels.
    public let metadata: [PNChannelMetadata]
    /// The `start` of the next page; nil at the end.
    public let next: String?
    /// The `end` of the previous page; nil at the beginning.
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
