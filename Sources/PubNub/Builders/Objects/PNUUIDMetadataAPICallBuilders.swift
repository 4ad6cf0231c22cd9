import Foundation

/// Sets data about a user.
public final class PNSetUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft(include: ["custom"])

    /// The fields that the answer includes.
    public var includeFields: (PNUUIDFields) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.include = $1.include } }
    /// The id in a system of yours.
    public var externalId: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["externalId"] = $1 } }
    /// The address of the user's picture.
    public var profileUrl: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["profileUrl"] = $1 } }
    /// Custom fields: strings, numbers and booleans.
    public var custom: ([AnyHashable: Any]) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.custom = $1 } }
    /// The email address.
    public var email: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["email"] = $1 } }
    /// The user's id; the client's own by default.
    public var uuid: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.id = $1 } }
    /// The user's name.
    public var name: (String) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.draft.fields["name"] = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNSetUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNSetUUIDMetadataCompletionBlock?) -> Void {
        { self.client.setUser(self.draft, query: self.query, $0) }
    }
}

/// Removes data about a user.
public final class PNRemoveUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft()

    /// The user's id; the client's own by default.
    public var uuid: (String) -> PNRemoveUUIDMetadataAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNRemoveUUIDMetadataCompletionBlock?) -> Void {
        { self.client.removeUser(self.draft, query: self.query, $0) }
    }
}

/// Fetches data about a user.
public final class PNFetchUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft(include: ["custom"])

    /// The fields that the answer includes.
    public var includeFields: (PNUUIDFields) -> PNFetchUUIDMetadataAPICallBuilder { argument { $0.draft.include = $1.include } }
    /// The user's id; the client's own by default.
    public var uuid: (String) -> PNFetchUUIDMetadataAPICallBuilder { argument { $0.draft.id = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNFetchUUIDMetadataCompletionBlock) -> Void {
        { self.client.fetchUser(self.draft, query: self.query, $0) }
    }
}

/// Fetches data about all users.
public final class PNFetchAllUUIDMetadataAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = ObjectDraft(page: .counted)

    /// The fields that the answer includes.
    public var includeFields: (PNUUIDFields) -> PNFetchAllUUIDMetadataAPICallBuilder {
        argument { ($0.draft.include, $0.draft.page.includesCount) = ($1.include, $1.contains(.totalCountField)) }
    }
    /// Whether the answer includes the total number of results.
    public var includeCount: (Bool) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.includesCount = $1 } }
    /// The order of the results.
    public var sort: ([String]) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.sort = $1 } }
    /// A filter expression; only matching results are returned.
    public var filter: (String) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.filter = $1 } }
    /// The maximum number of results, up to 100.
    public var limit: (UInt) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.limit = $1 } }
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public var start: (String) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.start = $1 } }
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public var end: (String) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.draft.page.end = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchAllUUIDMetadataAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNFetchAllUUIDMetadataCompletionBlock) -> Void {
        { self.client.fetchUsers(self.draft, query: self.query, $0) }
    }
}
