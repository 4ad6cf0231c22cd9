/// The base of requests about App Context.
open class PNBaseObjectsRequest: PNRequest {
    /// Further parameters of the request.
    public final var arbitraryQueryParameters: [AnyHashable: Any]?
}

/// The base of requests for lists.
open class PNObjectsPaginatedRequest: PNBaseObjectsRequest {
    /// The order of the results: names of fields, each optionally followed by `:asc` or `:desc`.
    public final var sort: [String]?
    /// A filter expression that limits the results, such as `name LIKE 'A*'`.
    public final var filter: String?
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public final var start: String?
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public final var end: String?
    /// The maximum number of results, up to 100.
    public final var limit: UInt = 100

    func page(includesCount: Bool) -> ObjectPageDraft {
        ObjectPageDraft(
            sort: sort ?? [], filter: filter, start: start, end: end, limit: limit, includesCount: includesCount)
    }
}

/// The base of requests for memberships.
open class PNBaseObjectsMembershipRequest: PNObjectsPaginatedRequest {}
