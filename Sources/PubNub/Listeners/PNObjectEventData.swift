import Foundation
import PubNubProtocol
import WireCoding

/// The metadata of a channel (App Context).
public final class PNChannelMetadata: Sendable {
    /// The channel's name.
    public let channel: String
    /// The channel's name for display; nil for none.
    public let name: String?
    /// The description.
    public let information: String?
    /// When the metadata was last changed.
    public let updated: Date
    /// A value that changes with every change of the metadata.
    public let eTag: String
    private let customText: String?

    init(_ object: JSONText) {
        channel = object["id"]?.string ?? ""
        name = object["name"]?.string
        information = object["description"]?.string
        updated = ObjectDate.parse(object["updated"]?.string)
        eTag = object["eTag"]?.string ?? ""
        customText = object["custom"]?.text
    }

    /// The custom fields.
    public var custom: [AnyHashable: Any]? { customText.flatMap { FoundationJSON.value($0) } as? [String: Any] }
}

/// The metadata of a user (App Context).
public final class PNUUIDMetadata: Sendable {
    /// The user's id.
    public let uuid: String
    /// The user's name.
    public let name: String
    /// The user's id in a system of your own, such as your user database; nil for none.
    public let externalId: String?
    /// The address of the user's picture.
    public let profileUrl: String?
    /// The user's email address.
    public let email: String?
    /// When the metadata was last changed.
    public let updated: Date
    /// A value that changes with every change of the metadata.
    public let eTag: String
    private let customText: String?

    init(_ object: JSONText) {
        uuid = object["id"]?.string ?? ""
        name = object["name"]?.string ?? ""
        externalId = object["externalId"]?.string
        profileUrl = object["profileUrl"]?.string
        email = object["email"]?.string
        updated = ObjectDate.parse(object["updated"]?.string)
        eTag = object["eTag"]?.string ?? ""
        customText = object["custom"]?.text
    }

    /// The custom fields.
    public var custom: [AnyHashable: Any]? { customText.flatMap { FoundationJSON.value($0) } as? [String: Any] }
}

/// The metadata of a user's membership in a channel (App Context).
public final class PNMembership: Sendable {
    /// The metadata of the channel; nil unless the request asked for it.
    public let metadata: PNChannelMetadata?
    /// The user's id; nil when the service does not report it.
    public let uuid: String?
    /// The channel's name.
    public let channel: String
    /// When the membership was last changed.
    public let updated: Date
    /// A value that changes with every change of the metadata.
    public let eTag: String
    private let customText: String?

    init(_ object: JSONText) {
        let channel = object["channel"]
        self.channel = channel?["id"]?.string ?? ""
        metadata = channel.map { PNChannelMetadata($0) }
        uuid = object["uuid"]?["id"]?.string
        updated = ObjectDate.parse(object["updated"]?.string)
        eTag = object["eTag"]?.string ?? ""
        customText = object["custom"]?.text
    }

    /// The custom fields.
    public var custom: [AnyHashable: Any]? { customText.flatMap { FoundationJSON.value($0) } as? [String: Any] }
}

/// A change of the metadata of a user, a channel or a membership.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNObjectEventData: PNSubscriberData, @unchecked Sendable {
    /// `set` or `delete`.
    public let event: String
    /// The kind of object that changed: `channel`, `uuid` or `membership`.
    public let type: String
    /// The channel's metadata if the type is `channel`; otherwise nil.
    public let channelMetadata: PNChannelMetadata?
    /// The user's metadata if the type is `uuid`; otherwise nil.
    public let uuidMetadata: PNUUIDMetadata?
    /// The membership if the type is `membership`; otherwise nil.
    public let membership: PNMembership?

    override init(_ raw: PubNubMessage, batch: MessageBatch) {
        let payload = try? JSONText(raw.payload)
        let type = payload?["type"]?.string ?? ""
        let object = payload?["data"]
        self.type = type
        event = payload?["event"]?.string ?? ""
        channelMetadata = type == "channel" ? object.map { PNChannelMetadata($0) } : nil
        uuidMetadata = type == "uuid" ? object.map { PNUUIDMetadata($0) } : nil
        membership = type == "membership" ? object.map { PNMembership($0) } : nil
        super.init(raw, batch: batch)
    }

    /// When the change happened, in seconds since 1970.
    public var timestamp: NSNumber { NSNumber(value: raw.timetoken.rawValue / 10_000_000) }
}

/// Parses the service's dates: ISO 8601 with up to nine fractional digits of a second.
enum ObjectDate {
    static func parse(_ text: String?) -> Date {
        guard let text else { return Date(timeIntervalSince1970: 0) }
        let whole = text.prefix { $0 != "." && $0 != "Z" } + "Z"
        guard let date = try? Date(String(whole), strategy: .iso8601) else { return Date(timeIntervalSince1970: 0) }
        guard let dot = text.firstIndex(of: "."), let fraction = Double("0" + text[dot...].prefix { $0 != "Z" }) else {
            return date
        }
        return date.addingTimeInterval(fraction)
    }
}
