import Foundation

/// Sets a channel's members.
public final class PNSetChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .setChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The users to set, each a dictionary of `uuid` and `custom`.
    public var uuids: ([[AnyHashable: Any]]) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.set = $1 } }
    /// The fields that the answer includes.
    public var includeFields: (PNChannelMemberFields) -> PNSetChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The order of the results.
    public var sort: ([String]) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression; only matching results are returned.
    public var filter: (String) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results, up to 100.
    public var limit: (UInt) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNSetChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNSetChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNManageChannelMembersCompletionBlock?) -> Void {
        { self.client.changeMembers(self.draft, query: self.query, $0) }
    }
}

/// Removes a channel's members.
public final class PNRemoveChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .removeChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The ids of the users to remove.
    public var uuids: ([String]) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.remove = $1 } }
    /// The fields that the answer includes.
    public var includeFields: (PNChannelMemberFields) -> PNRemoveChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The order of the results.
    public var sort: ([String]) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression; only matching results are returned.
    public var filter: (String) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results, up to 100.
    public var limit: (UInt) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNManageChannelMembersCompletionBlock?) -> Void {
        { self.client.changeMembers(self.draft, query: self.query, $0) }
    }
}

/// Sets and removes a channel's members.
public final class PNManageChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .manageChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The users to set, each a dictionary of `uuid` and `custom`.
    public var set: ([[AnyHashable: Any]]) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.set = $1 } }
    /// The ids of the users to remove.
    public var remove: ([String]) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.remove = $1 } }
    /// The fields that the answer includes.
    public var includeFields: (PNChannelMemberFields) -> PNManageChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The order of the results.
    public var sort: ([String]) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression; only matching results are returned.
    public var filter: (String) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results, up to 100.
    public var limit: (UInt) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNManageChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNManageChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNManageChannelMembersCompletionBlock?) -> Void {
        { self.client.changeMembers(self.draft, query: self.query, $0) }
    }
}

/// Fetches a channel's members.
public final class PNFetchChannelMembersAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft: RelationDraft

    init(_ client: PubNub, _ channel: String) {
        draft = RelationDraft(operation: .fetchChannelMembersOperation, id: channel, page: .counted)
        super.init(client)
    }

    /// The fields that the answer includes.
    public var includeFields: (PNChannelMemberFields) -> PNFetchChannelMembersAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membersTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The order of the results.
    public var sort: ([String]) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression; only matching results are returned.
    public var filter: (String) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results, up to 100.
    public var limit: (UInt) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNFetchChannelMembersAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchChannelMembersAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNFetchChannelMembersCompletionBlock) -> Void {
        { self.client.fetchMembers(self.draft, query: self.query, $0) }
    }
}
