import Foundation
import PubNubProtocol

/// The page, order and filter of a request for an App Context list. An addition to the Cocoa SDK.
public struct PNObjectsQuery: Hashable, Sendable {
    /// The fields to sort by, such as `name` or `updated:desc`.
    public var sort: [String]
    /// A filter in the language of App Context, such as `name LIKE 'A*'`.
    public var filter: String?
    /// The cursor at which the page starts: ``PNObjectsPage/next`` of another page.
    public var start: String?
    /// The cursor at which the page ends: ``PNObjectsPage/previous`` of another page.
    public var end: String?
    /// The maximum number of elements in the answer, 1 to 100. With ``includesCount`` the limit may also be 0, for an answer that has only
    /// the count.
    public var limit: Int
    /// Whether the answer contains the total count.
    public var includesCount: Bool

    /// A query; by default the first 100 elements, in the order of the service.
    public init(
        sort: [String] = [], filter: String? = nil, start: String? = nil, end: String? = nil, limit: Int = 100,
        includesCount: Bool = false
    ) {
        self.sort = sort
        self.filter = filter
        self.start = start
        self.end = end
        self.limit = limit
        self.includesCount = includesCount
    }

    var page: PubNubObjectPage {
        PubNubObjectPage(
            sort: sort, filter: filter, start: start, end: end, limit: limit, includesCount: includesCount)
    }
}

/// A page of an App Context list. An addition to the Cocoa SDK.
public struct PNObjectsPage<Element: Sendable>: Sendable {
    /// The page's elements, in the order of the query.
    public let elements: [Element]
    /// The position of the next page, for the next query's `start`; nil on the last page.
    public let next: String?
    /// The position of the previous page, for the next query's `end`; nil on the first page.
    public let previous: String?
    /// The total number of elements; nil when it was not requested.
    public let totalCount: Int?
}

/// The fields of a user that can be set. Nil fields stay unchanged. An addition to the Cocoa SDK.
public struct PNUserFields: Sendable {
    /// The user's name; nil leaves the name unchanged.
    public var name: String?
    /// The user's id in another system; nil leaves that id unchanged.
    public var externalID: String?
    /// The address of the user's picture; nil leaves the address unchanged.
    public var profileURL: String?
    /// The user's e-mail address; nil leaves the address unchanged.
    public var email: String?
    /// Your own fields: a value that encodes as a JSON object whose values are strings, numbers, booleans or null.
    public var custom: (any Encodable & Sendable)?

    /// The fields to set. A field that is nil stays unchanged.
    public init(
        name: String? = nil, externalID: String? = nil, profileURL: String? = nil, email: String? = nil,
        custom: (any Encodable & Sendable)? = nil
    ) {
        self.name = name
        self.externalID = externalID
        self.profileURL = profileURL
        self.email = email
        self.custom = custom
    }
}

/// The fields of a channel that can be set. Nil fields stay unchanged. An addition to the Cocoa SDK.
public struct PNChannelInfo: Sendable {
    /// The channel's name; nil leaves the name unchanged.
    public var name: String?
    /// The channel's description; nil leaves the description unchanged.
    public var information: String?
    /// Your own fields: a value that encodes as a JSON object whose values are strings, numbers, booleans or null.
    public var custom: (any Encodable & Sendable)?

    /// The fields to set. A field that is nil stays unchanged.
    public init(name: String? = nil, information: String? = nil, custom: (any Encodable & Sendable)? = nil) {
        self.name = name
        self.information = information
        self.custom = custom
    }
}

/// One membership to set: a channel in which a user becomes a member, or a user who becomes a member of a channel. An addition to the Cocoa
/// SDK.
public struct PNRelation: Sendable, ExpressibleByStringLiteral {
    /// The channel's name, or the user's id.
    public var id: String
    /// Your own fields of the membership: a value that encodes as a JSON object whose values are strings, numbers, booleans or null.
    public var custom: (any Encodable & Sendable)?

    /// Names a channel or a user by its id, with your own fields of the membership.
    public init(_ id: String, custom: (any Encodable & Sendable)? = nil) {
        self.id = id
        self.custom = custom
    }

    public init(stringLiteral id: String) {
        self.init(id)
    }
}
