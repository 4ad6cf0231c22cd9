import Foundation
import PubNubProtocol
import WireCoding

/// The users after a presence event: how many are present, and who joined and left.
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

    /// The user who joined, left, timed out or changed state; nil for `interval`.
    public var uuid: String? { event.user }

    /// The users who joined since the last `interval` event, when presence deltas are on.
    public var join: [String]? { event.joined }

    /// The users who left since the last `interval` event.
    public var leave: [String]? { event.left }

    /// The users who timed out since the last `interval` event.
    public var timeout: [String]? { event.timedOut }

    /// How many users are present.
    public var occupancy: NSNumber { NSNumber(value: event.occupancy) }

    /// The user's state, when the event contains it.
    public var state: [String: Any]? {
        event.state.flatMap { FoundationJSON.value($0) } as? [String: Any]
    }
}

/// A presence event.
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

    /// The user of the event, and the number of users now.
    public var presence: PNPresenceDetailsData { PNPresenceDetailsData(raw, event: event, batch: batch) }
}

/// The payload of a presence event.
struct PresenceEvent: Sendable {
    var action: String
    var user: String?
    var timestamp: UInt64
    var occupancy: Int
    var joined: [String]?
    var left: [String]?
    var timedOut: [String]?
    /// The user's state as JSON text.
    var state: String?

    /// A payload that cannot be parsed is read as an `interval` event without users.
    init(_ json: String) {
        let text = try? JSONText(json)
        var members: [String: JSONText] = [:]
        for member in text?.members ?? [] { members[member.key] = member.value }
        func names(_ key: String) -> [String]? { members[key]?.elements?.compactMap(\.string) }
        // Interval events of some regions have no action.
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
