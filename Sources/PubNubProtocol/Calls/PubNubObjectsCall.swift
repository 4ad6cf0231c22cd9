import WireCoding

/// The resources of App Context that a request can address.
public enum PubNubObjectResource: Hashable, Sendable {
    case users
    case user(String)
    case channels
    case channel(String)
    /// The channels that a user is a member of.
    case memberships(user: String)
    /// The users that are members of a channel.
    case members(channel: String)

    func path(_ settings: PubNubSettings) throws(PubNubProblem) -> [String] {
        var path = ["v2", "objects", try CallArguments.subscribeKey(settings)]
        switch self {
        case .users: path.append("uuids")
        case .user(let id): path += ["uuids", try CallArguments.name(id, .user)]
        case .channels: path.append("channels")
        case .channel(let id): path += ["channels", try CallArguments.name(id, .channel)]
        case .memberships(let user): path += ["uuids", try CallArguments.name(user, .user), "channels"]
        case .members(let channel): path += ["channels", try CallArguments.name(channel, .channel), "uuids"]
        }
        return path
    }
}

/// The page, order and filter of a request for a list of App Context.
public struct PubNubObjectPage: Hashable, Sendable {
    /// The maximum number of elements in one answer.
    public static let maximumLimit = 100

    /// The fields to sort by, such as `name` or `updated:desc`.
    public var sort: [String]
    /// A filter in the language of App Context, such as `name LIKE 'A*'`.
    public var filter: String?
    /// The cursor at which the page starts: the value of `next` in the answer that contained the preceding page.
    public var start: String?
    /// The cursor at which the page ends: the value of `prev` in the answer that contained the following page.
    public var end: String?
    /// The maximum number of elements in the answer; nil for the service's default. With 0 and ``includesCount``, the answer has the count
    /// only.
    public var limit: Int?
    /// Whether the answer contains the total number of elements.
    public var includesCount: Bool

    public init(
        sort: [String] = [], filter: String? = nil, start: String? = nil, end: String? = nil, limit: Int? = nil,
        includesCount: Bool = false
    ) {
        self.sort = sort
        self.filter = filter
        self.start = start
        self.end = end
        self.limit = limit
        self.includesCount = includesCount
    }

    func add(to parameters: inout [PubNubRequest.Parameter]) throws(PubNubProblem) {
        if let limit, limit < (includesCount ? 0 : 1) {
            throw .badArguments(
                "The limit of the page is \(limit). Pass 1 to \(Self.maximumLimit), leave it out, or pass 0 and request the total count to get it alone."
            )
        }
        if includesCount { parameters.add("count", 1) }
        parameters.add("filter", filter)
        if !sort.isEmpty { parameters.add("sort", sort.joined(separator: ",")) }
        parameters.add("limit", limit.map { min($0, Self.maximumLimit) })
        parameters.add("start", start)
        parameters.add("end", end)
    }
}

/// A request that reads, sets or removes data of App Context (rules PL-52 to PL-54).
public struct PubNubObjectsCall: PubNubCall, Hashable {
    public enum Action: Hashable, Sendable {
        case get
        /// Sets the fields in this JSON object.
        case set(JSONText)
        case remove
    }

    public var resource: PubNubObjectResource
    public var action: Action
    /// The optional fields that the answer includes, such as `custom` or `channel.custom`.
    public var include: [String]
    /// The page of a list; nil for requests about a single user or channel.
    public var page: PubNubObjectPage?

    public init(
        _ action: Action, _ resource: PubNubObjectResource, include: [String] = [], page: PubNubObjectPage? = nil
    ) {
        self.resource = resource
        self.action = action
        self.include = include
        self.page = page
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        var request = PubNubRequest(path: try resource.path(settings))
        if !include.isEmpty { request.parameters.add("include", include.joined(separator: ",")) }
        try page?.add(to: &request.parameters)
        switch action {
        case .get: break
        case .remove: request.method = "DELETE"
        case .set(let content):
            request.method = "PATCH"
            request.body = Array(content.text.utf8)
        }
        return request
    }

    /// `{"status":200,"data":…,"totalCount":9,"next":"MQ","prev":"…"}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubObjects {
        let answer = try CallAnswer.object(body)
        let data = answer["data"]
        switch (resource, action) {
        case (.user, .remove), (.channel, .remove): break
        case (.user, _), (.channel, _):
            guard data?.kind == .object else { throw .malformed("The service's answer contains no metadata object.") }
        default:
            guard data?.kind == .array else { throw .malformed("The field \"data\" of the service's answer is not a list.") }
        }
        return PubNubObjects(
            object: data?.kind == .object ? data : nil, list: data?.elements ?? [], next: answer.string("next"),
            previous: answer.string("prev"), totalCount: answer.integer("totalCount"))
    }
}

/// The answer of App Context: a metadata object, or one page of a list, as JSON text.
public struct PubNubObjects: Hashable, Sendable {
    /// The metadata object of a request about a single user or channel; nil for lists.
    public var object: JSONText?
    /// The elements of a list; empty for requests about a single user or channel.
    public var list: [JSONText]
    /// The cursor of the next page; nil on the last page.
    public var next: String?
    /// The cursor of the previous page; nil on the first page.
    public var previous: String?
    public var totalCount: Int?

    public init(
        object: JSONText? = nil, list: [JSONText] = [], next: String? = nil, previous: String? = nil, totalCount: Int? = nil
    ) {
        self.object = object
        self.list = list
        self.next = next
        self.previous = previous
        self.totalCount = totalCount
    }
}
