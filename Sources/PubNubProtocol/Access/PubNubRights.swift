import Identifiers
import OrderedCollections

/// The rights on a resource, as bits with the values of the access token's encoding.
public struct PubNubRights: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let read = PubNubRights(rawValue: 1)
    public static let write = PubNubRights(rawValue: 2)
    public static let manage = PubNubRights(rawValue: 4)
    public static let delete = PubNubRights(rawValue: 8)
    public static let create = PubNubRights(rawValue: 16)
    public static let get = PubNubRights(rawValue: 32)
    public static let update = PubNubRights(rawValue: 64)
    public static let join = PubNubRights(rawValue: 128)

    /// All rights.
    public static let all = PubNubRights(rawValue: 255)
}

/// The rights on resources. The keys are names, which are compared by their bytes (rule PC-50), or patterns that match names.
public struct PubNubGrants: Hashable, Sendable {
    public typealias Rights = OrderedDictionary<Identifier, PubNubRights>

    public var channels: Rights
    public var groups: Rights
    /// User ids.
    public var users: Rights
    /// Rights on users and spaces of an earlier version of the service. These rights have no effect, but they are kept when a token is read
    /// and written.
    public var legacyUsers: Rights
    public var legacySpaces: Rights

    public init(
        channels: Rights = [:], groups: Rights = [:], users: Rights = [:], legacyUsers: Rights = [:], legacySpaces: Rights = [:]
    ) {
        self.channels = channels
        self.groups = groups
        self.users = users
        self.legacyUsers = legacyUsers
        self.legacySpaces = legacySpaces
    }

    /// Whether the grants contain no resource at all.
    public var isEmpty: Bool { [channels, groups, users, legacyUsers, legacySpaces].allSatisfy(\.isEmpty) }
}
