import Foundation

/// Builds a request that makes a user a member of channels.
public final class PNSetMembershipsAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = RelationDraft(operation: .setMembershipsOperation, id: nil, page: .counted)

    /// The channels that the user becomes a member of: dictionaries with `channel` and, optionally, `custom`.
    public var channels: ([[AnyHashable: Any]]) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.set = $1 } }
    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNMembershipFields) -> PNSetMembershipsAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membershipsTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNSetMembershipsAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNSetMembershipsAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNManageMembershipsCompletionBlock?) -> Void {
        { self.client.changeMemberships(self.draft, query: self.query, $0) }
    }
}

/// Builds a request that ends memberships of a user in channels.
public final class PNRemoveMembershipsAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = RelationDraft(operation: .removeMembershipsOperation, id: nil, page: .counted)

    /// The channels' names.
    public var channels: ([String]) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.remove = $1 } }
    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNMembershipFields) -> PNRemoveMembershipsAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membershipsTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNRemoveMembershipsAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveMembershipsAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNManageMembershipsCompletionBlock?) -> Void {
        { self.client.changeMemberships(self.draft, query: self.query, $0) }
    }
}

/// Builds a request that makes a user a member of channels and ends the user's memberships in other channels.
public final class PNManageMembershipsAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = RelationDraft(operation: .manageMembershipsOperation, id: nil, page: .counted)

    /// The channels that the user becomes a member of: dictionaries with `channel` and, optionally, `custom`.
    public var set: ([[AnyHashable: Any]]) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.set = $1 } }
    /// The names of the channels in which the user's membership ends.
    public var remove: ([String]) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.remove = $1 } }
    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNMembershipFields) -> PNManageMembershipsAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membershipsTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNManageMembershipsAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNManageMembershipsAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNManageMembershipsCompletionBlock?) -> Void {
        { self.client.changeMemberships(self.draft, query: self.query, $0) }
    }
}

/// Builds a request for the memberships of a user.
public final class PNFetchMembershipsAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = RelationDraft(operation: .fetchMembershipsOperation, id: nil, page: .counted)

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNMembershipFields) -> PNFetchMembershipsAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.membershipsTotalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNFetchMembershipsAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNFetchMembershipsAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNFetchMembershipsAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNFetchMembershipsAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNFetchMembershipsAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNFetchMembershipsAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNFetchMembershipsAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchMembershipsAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNFetchMembershipsCompletionBlock) -> Void {
        { self.client.fetchMemberships(self.draft, query: self.query, $0) }
    }
}
