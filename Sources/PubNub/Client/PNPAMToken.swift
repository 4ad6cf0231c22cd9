import Foundation
import PubNubProtocol
import WireCoding

/// The rights that an access token grants on a resource.
public struct PNPAMPermission: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Read messages.
    public static let read = PNPAMPermission(rawValue: 1 << 0)
    /// Publish messages.
    public static let write = PNPAMPermission(rawValue: 1 << 1)
    /// The right to manage channel groups and channel members.
    public static let manage = PNPAMPermission(rawValue: 1 << 2)
    /// The right to delete messages or metadata.
    public static let delete = PNPAMPermission(rawValue: 1 << 3)
    /// Get metadata.
    public static let get = PNPAMPermission(rawValue: 1 << 5)
    /// Change metadata.
    public static let update = PNPAMPermission(rawValue: 1 << 6)
    /// The right to join channels, which changes memberships.
    public static let join = PNPAMPermission(rawValue: 1 << 7)
    /// The rights to read, write, update and delete.
    public static let CRUD: PNPAMPermission = [.read, .write, .update, .delete]
    /// All permissions.
    public static let all: PNPAMPermission = [.CRUD, .get, .join, .manage]
}

/// The permissions that an access token grants on one resource.
public final class PNPAMResourcePermission: Sendable {
    /// The permissions as an option set, with one bit for each right.
    public let value: PNPAMPermission

    init(_ rights: PubNubRights) {
        value = PNPAMPermission(rawValue: UInt(clamping: rights.rawValue))
    }
}

/// The permissions that an access token grants, by the name of a resource or by a regular expression for names.
public final class PNPAMTokenResource: Sendable {
    /// Permissions for channels.
    public let channels: [String: PNPAMResourcePermission]
    /// Permissions for channel groups.
    public let groups: [String: PNPAMResourcePermission]
    /// Permissions for users.
    public let uuids: [String: PNPAMResourcePermission]

    init(_ grants: PubNubGrants) {
        func permissions(_ rights: PubNubGrants.Rights) -> [String: PNPAMResourcePermission] {
            // Names that Swift counts as equal although their bytes differ get one key; the Cocoa SDK's dictionary also merges them.
            Dictionary(rights.map { ($0.key.text, PNPAMResourcePermission($0.value)) }, uniquingKeysWith: { first, _ in first })
        }
        channels = permissions(grants.channels)
        groups = permissions(grants.groups)
        uuids = permissions(grants.users)
    }
}

/// The contents of an access token. They are not verified, because only the service can verify the signature.
public final class PNPAMToken: Sendable {
    private let token: PubNubAccessToken
    /// Permissions by name.
    public let resources: PNPAMTokenResource
    /// The permissions for resources whose names match a regular expression.
    public let patterns: PNPAMTokenResource

    init(_ token: PubNubAccessToken) {
        self.token = token
        resources = PNPAMTokenResource(token.resources)
        patterns = PNPAMTokenResource(token.patterns)
    }

    /// The version of the token's format.
    public var version: UInt { UInt(clamping: token.version) }

    /// When the token was granted, in seconds since 1970.
    public var timestamp: UInt { UInt(clamping: token.issued) }

    /// How many minutes the token is valid after `timestamp`.
    public var ttl: UInt { UInt(clamping: token.ttl) }

    /// The id of the only user who may use the token; nil when any user may.
    public var authorizedUUID: String? { token.authorizedUser }

    /// The metadata that the server put into the token when it granted access; empty for none.
    public var meta: [AnyHashable: Any] {
        FoundationJSON.value(JSONValue.object(token.metadata).text) as? [String: Any] ?? [:]
    }

    /// The token's signature, made by the server that granted access.
    public var signature: Data { Data(token.signature) }

    /// Always nil: ``PubNub/parseAuthToken(_:)`` returns nil for a text that is not a token.
    public var error: (any Error)? { nil }
}

extension PubNub {
    /// Reads the contents of an access token on this machine, without a request to the service.
    ///
    /// - Returns: nil when the text is not a token.
    public func parseAuthToken(_ token: String) -> PNPAMToken? {
        (try? PubNubAccessToken(parsing: token)).map { PNPAMToken($0) }
    }
}
