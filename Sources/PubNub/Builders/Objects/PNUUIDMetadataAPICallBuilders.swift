import Foundation

/// Builds a request that sets data about a user.
public final class PNSetUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft(include: ["custom"])

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNUUIDFields) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.include = $1.include } }
    /// The user's id in a system of your own, such as your user database.
    public var externalId: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["externalId"] = $1 } }
    /// The address of the user's picture.
    public var profileUrl: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["profileUrl"] = $1 } }
    /// Your own fields by name. Each value is a string, a number, a boolean or null.
    public var custom: ([AnyHashable: Any]) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.custom = $1 } }
    /// The email address.
    public var email: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["email"] = $1 } }
    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.id = $1 } }
    /// The user's name.
    public var name: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["name"] = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNSetUUIDMetadataCompletionBlock?) -> Void {
        { self.client.setUser(self.draft, query: self.query, $0) }
    }
}

/// Builds a request that removes data about a user.
public final class PNRemoveUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft()

    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNRemoveUUIDMetadataAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (PNRemoveUUIDMetadataCompletionBlock?) -> Void {
        { self.client.removeUser(self.draft, query: self.query, $0) }
    }
}

/// Builds a request for the data about a user.
public final class PNFetchUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft(include: ["custom"])

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNUUIDFields) -> PNFetchUUIDMetadataAPICallBuilder { argument { $0.draft.include = $1.include } }
    /// The user's id; by default the client's own user id.
    public var uuid: (String) -> PNFetchUUIDMetadataAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNFetchUUIDMetadataCompletionBlock) -> Void {
        { self.client.fetchUser(self.draft, query: self.query, $0) }
    }
}

/// Builds a request for the data about all users.
public final class PNFetchAllUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft(page: .counted)

    /// The optional fields that the service includes in its answer.
    public var includeFields: (PNUUIDFields) -> PNFetchAllUUIDMetadataAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.totalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The fields to sort the results by, such as `name` or `updated:desc`.
    public var sort: ([String]) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression, such as `name LIKE 'A*'`. The answer contains only matching results.
    public var filter: (String) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results in one answer, up to 100, which is the default.
    public var limit: (UInt) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNFetchAllUUIDMetadataCompletionBlock) -> Void {
        { self.client.fetchUsers(self.draft, query: self.query, $0) }
    }
}
