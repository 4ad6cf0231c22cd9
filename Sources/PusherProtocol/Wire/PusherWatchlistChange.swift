import WireCoding

/// Users who came online or went offline. Pusher protocol, `pusher_internal:watchlist_events`.
public struct PusherWatchlistChange: Hashable, Sendable {
    /// `online` or `offline`.
    public var name: String
    public var userIDs: [String]

    public init(name: String, userIDs: [String]) {
        self.name = name
        self.userIDs = userIDs
    }

    /// Parses the data of `pusher_internal:watchlist_events`: `{"events":[{"name":…,"user_ids":[…]}]}`. Ids that are numbers become text.
    /// Nil for other data, and for more users than ``PusherLimits/watchlistMessage`` (rule PW-17).
    public static func list(parsing data: String?) -> [PusherWatchlistChange]? { Reading(data)?.changes }

    /// The changes in a message, and the number of changes and users that could not be parsed and were left out (rule PW-40).
    struct Reading {
        private(set) var changes: [PusherWatchlistChange] = []
        private(set) var unreadable = 0
        private static let repair = JSONRepair.Plan(.init("events", elementKeys: ["name"]))

        init?(_ data: String?) {
            guard let data, let events = JSONText(repairing: data, Self.repair)?["events"]?.elements,
                events.count <= PusherLimits.watchlistMessage
            else { return nil }
            var count = 0
            for event in events {
                let elements = event["user_ids"]?.elements
                count += elements?.count ?? 0
                guard count <= PusherLimits.watchlistMessage else { return nil }
                guard let elements, let name = event["name"]?.string, PusherLimits.accepts(eventName: name) else {
                    unreadable += 1
                    continue
                }
                let ids = elements.compactMap(\.identifier)
                unreadable += elements.count - ids.count
                if !ids.isEmpty || elements.isEmpty { changes.append(PusherWatchlistChange(name: name, userIDs: ids)) }
            }
        }
    }

    static func userIDs(of event: JSONText) -> [String]? {
        guard let elements = event["user_ids"]?.elements, elements.count <= PusherLimits.watchlistMessage else { return nil }
        return elements.compactMap(\.identifier)
    }
}
