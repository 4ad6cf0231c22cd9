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
    /// The start of the page: the `next` of the previous page's answer.
    public final var start: String?
    /// The end of the page: the `prev` of the next page's answer.
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
