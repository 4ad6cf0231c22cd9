import Foundation

/// Builds a request that makes users members of a channel.
public final class PNSetChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .setChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The users to make members: dictionaries with `uuid` and, optionally, `custom`.
    public var uuids: ([[AnyHashable: Any]]) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.set = $1 } }
    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNChannelMemberFields) -> PNSetChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNSetChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNManageChannelMembersCompletionBlock?) -> Void {
        { self.client.changeMembers(self.draft, query: self.query, $0) }
    }
}

/// Builds a request that ends memberships of users in a channel.
public final class PNRemoveChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .removeChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The ids of the users whose membership ends.
    public var uuids: ([String]) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.remove = $1 } }
    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNChannelMemberFields) -> PNRemoveChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNManageChannelMembersCompletionBlock?) -> Void {
        { self.client.changeMembers(self.draft, query: self.query, $0) }
    }
}

/// Builds a request that makes users members of a channel and ends the memberships of other users in it.
public final class PNManageChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .manageChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The users to make members: dictionaries with `uuid` and, optionally, `custom`.
    public var set: ([[AnyHashable: Any]]) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.set = $1 } }
    /// The ids of the users whose membership ends.
    public var remove: ([String]) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.remove = $1 } }
    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNChannelMemberFields) -> PNManageChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNManageChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNManageChannelMembersCompletionBlock?) -> Void {
        { self.client.changeMembers(self.draft, query: self.query, $0) }
    }
}

/// Builds a request for the members of a channel.
public final class PNFetchChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .fetchChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNChannelMemberFields) -> PNFetchChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNFetchChannelMembersCompletionBlock) -> Void {
        { self.client.fetchMembers(self.draft, query: self.query, $0) }
    }
}
