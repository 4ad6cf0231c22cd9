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

    /// Reads the data of `pusher_internal:watchlist_events`: `{"events":[{"name":…,"user_ids":[…]}]}`. Ids that are numbers become
    /// their text. Nil when it is something else, or names more users than ``PusherLimits/watchlistMessage``. Rule PW-17.
    public static func list(parsing data: String?) -> [PusherWatchlistChange]? {
        guard let data, let events = (try? JSONText(data))?["events"]?.elements, events.count <= PusherLimits.watchlistMessage
        else { return nil }
        var changes: [PusherWatchlistChange] = []
        var count = 0
        for event in events {
            guard let name = event["name"]?.string, PusherLimits.accepts(eventName: name), let ids = userIDs(of: event) else {
                return nil
            }
            count += ids.count
            guard count <= PusherLimits.watchlistMessage else { return nil }
            changes.append(PusherWatchlistChange(name: name, userIDs: ids))
        }
        return changes
    }

    static func userIDs(of event: JSONText) -> [String]? {
        guard let elements = event["user_ids"]?.elements, elements.count <= PusherLimits.watchlistMessage else { return nil }
        let ids = elements.compactMap(\.identifier)
        return ids.count == elements.count ? ids : nil
    }
}
