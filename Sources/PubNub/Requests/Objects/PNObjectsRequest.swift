/// The base class of requests about App Context: data about users, channels and memberships.
open class PNBaseObjectsRequest: PNRequest {
    /// Additional query parameters of the request, by name.
    public final var arbitraryQueryParameters: [AnyHashable: Any]?
}

/// The base class of requests for lists of App Context, which are read page by page.
open class PNObjectsPaginatedRequest: PNBaseObjectsRequest {
    /// The fields to sort the results by, each optionally followed by `:asc` or `:desc`.
    public final var sort: [String]?
    /// A filter expression that limits the results, such as `name LIKE 'A*'`.
    public final var filter: String?
    /// The cursor at which the page starts: `next` in the answer with the preceding page.
    public final var start: String?
    /// The cursor at which the page ends: `prev` in the answer with the following page.
    public final var end: String?
    /// The maximum number of results in one answer, up to 100, which is the default.
    public final var limit: UInt = 100

    func page(includesCount: Bool) -> ObjectPageDraft {
        ObjectPageDraft(
            sort: sort ?? [], filter: filter, start: start, end: end, limit: limit, includesCount: includesCount)
    }
}

/// The base class of requests that change memberships.
open class PNBaseObjectsMembershipRequest: PNObjectsPaginatedRequest {}
