import Foundation
import PubNubProtocol
import WireCoding

/// Metadata of a channel.
public final class PNChannelMetadata: Sendable {
    /// The channel's name.
    public let channel: String
    /// The name for display.
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

/// Metadata of a user.
public final class PNUUIDMetadata: Sendable {
    /// The user's id.
    public let uuid: String
    /// The user's name.
    public let name: String
    /// The user's id in a system of yours.
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

/// Metadata of a user's membership in a channel.
public final class PNMembership: Sendable {
    /// Metadata of the channel, if it was requested.
    public let metadata: PNChannelMetadata?
    /// The user's id, or nil.
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

/// A change of metadata.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNObjectEventData: PNSubscriberData, @unchecked Sendable {
    /// `set` or `delete`.
    public let event: String
    /// `channel`, `uuid` or `membership`.
    public let type: String
    /// The metadata of a `channel` event; nil for others.
    public let channelMetadata: PNChannelMetadata?
    /// The metadata of a `uuid` event; nil for others.
    public let uuidMetadata: PNUUIDMetadata?
    /// The membership of a `membership` event; nil for others.
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

/// Parses dates as the service writes them: ISO 8601, with up to nine digits of a second.
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
