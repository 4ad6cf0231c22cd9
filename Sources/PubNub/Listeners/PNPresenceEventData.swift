import Foundation
import PubNubProtocol
import WireCoding

/// The details of a presence event: how many users are present, and who joined and left.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNPresenceDetailsData: PNSubscriberData, @unchecked Sendable {
    private let event: PresenceEvent

    init(_ raw: PubNubMessage, event: PresenceEvent, batch: MessageBatch) {
        self.event = event
        super.init(raw, batch: batch)
    }

    /// When the event happened, in seconds since 1970.
    public override var timetoken: NSNumber { NSNumber(value: event.timestamp) }

    /// The user who joined, left, timed out or changed state; nil for an `interval` event.
    public var uuid: String? { event.user }

    /// The users who joined since the last `interval` event; nil unless presence deltas are enabled for the keyset.
    public var join: [String]? { event.joined }

    /// The users who left since the last `interval` event; nil unless presence deltas are enabled for the keyset.
    public var leave: [String]? { event.left }

    /// The users who timed out since the last `interval` event; nil unless presence deltas are enabled for the keyset.
    public var timeout: [String]? { event.timedOut }

    /// The number of users who are present on the channel after the event.
    public var occupancy: NSNumber { NSNumber(value: event.occupancy) }

    /// The user's presence state; nil when the event contains none.
    public var state: [String: Any]? {
        event.state.flatMap { FoundationJSON.value($0) } as? [String: Any]
    }
}

/// A presence event of a channel.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNPresenceEventData: PNSubscriberData, @unchecked Sendable {
    private let event: PresenceEvent

    override init(_ raw: PubNubMessage, batch: MessageBatch) {
        event = PresenceEvent(raw.payload)
        super.init(raw, batch: batch)
    }

    /// The kind of event: `join`, `leave`, `timeout`, `state-change` or `interval`.
    public var presenceEvent: String { event.action }

    /// The details of the event: its user, and the number of present users.
    public var presence: PNPresenceDetailsData { PNPresenceDetailsData(raw, event: event, batch: batch) }
}

/// The parsed payload of a presence event.
struct PresenceEvent: Sendable {
    var action: String
    var user: String?
    var timestamp: UInt64
    var occupancy: Int
    var joined: [String]?
    var left: [String]?
    var timedOut: [String]?
    /// The user's presence state as JSON text; nil for none.
    var state: String?

    /// Parses the payload of a presence event. A payload that cannot be parsed becomes an `interval` event without users.
    init(_ json: String) {
        let text = try? JSONText(json)
        var members: [String: JSONText] = [:]
        for member in text?.members ?? [] { members[member.key] = member.value }
        func names(_ key: String) -> [String]? { members[key]?.elements?.compactMap(\.string) }
        // Some data centres of PubNub send interval events without an action.
        action = members["action"]?.string ?? "interval"
        user = members["uuid"]?.string
        timestamp = members["timestamp"].flatMap { UInt64($0.text) } ?? 0
        occupancy = members["occupancy"]?.integer ?? 0
        joined = names("join")
        left = names("leave")
        timedOut = names("timeout")
        state = members["data"].flatMap { $0.kind == .object ? $0.text : nil }
    }
}
