import Foundation

/// Builds a request that sets data about a channel.
public final class PNSetChannelMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: ObjectDraft

    init(_ client: PubNub, _ channel: String) {
        draft = ObjectDraft(id: channel, include: ["custom"])
        super.init(client)
    }

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNChannelFields) -> PNSetChannelMetadataAPICallBuilder {
        argument { $0.draft.include = $1.include }
    }
    /// The channel's description.
    public var information: (String) -> PNSetChannelMetadataAPICallBuilder { argument { $0.draft.fields["description"] = $1 } }
    /// Your own fields by name. Each value is a string, a number, a boolean or null.
    public var custom: ([AnyHashable: Any]) -> PNSetChannelMetadataAPICallBuilder { argument { $0.draft.custom = $1 } }
    /// The channel's display name.
    public var name: (String) -> PNSetChannelMetadataAPICallBuilder { argument { $0.draft.fields["name"] = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNSetChannelMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNSetChannelMetadataCompletionBlock?) -> Void {
        { self.client.setChannel(self.draft, query: self.query, $0) }
    }
}

/// Builds a request that removes data about a channel.
public final class PNRemoveChannelMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: ObjectDraft

    init(_ client: PubNub, _ channel: String) {
        draft = ObjectDraft(id: channel)
        super.init(client)
    }

    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveChannelMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNRemoveChannelMetadataCompletionBlock?) -> Void {
        { self.client.removeChannel(self.draft, query: self.query, $0) }
    }
}

/// Builds a request for the data about a channel.
public final class PNFetchChannelMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: ObjectDraft

    init(_ client: PubNub, _ channel: String) {
        draft = ObjectDraft(id: channel, include: ["custom"])
        super.init(client)
    }

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNChannelFields) -> PNFetchChannelMetadataAPICallBuilder {
        argument { $0.draft.include = $1.include }
    }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchChannelMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNFetchChannelMetadataCompletionBlock) -> Void {
        { self.client.fetchChannel(self.draft, query: self.query, $0) }
    }
}

/// Builds a request for the data about all channels.
public final class PNFetchAllChannelsMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft(page: .counted)

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNChannelFields) -> PNFetchAllChannelsMetadataAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.totalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNFetchAllChannelsMetadataAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNFetchAllChannelsMetadataAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNFetchAllChannelsMetadataAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNFetchAllChannelsMetadataAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNFetchAllChannelsMetadataAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNFetchAllChannelsMetadataAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchAllChannelsMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNFetchAllChannelsMetadataCompletionBlock) -> Void {
        { self.client.fetchChannels(self.draft, query: self.query, $0) }
    }
}
