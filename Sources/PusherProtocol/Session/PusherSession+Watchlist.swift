import ConnectionEngine
import WireCoding

// Who of a watchlist is there. Rule PS-32.
extension PusherSession {
    mutating func watchlist(_ envelope: PusherEnvelope, _ out: inout Actions) {
        guard user.phase == .confirmed else { return }
        if let changes = PusherWatchlistChange.list(parsing: envelope.data) {
            out.emit(.watchlist(changes))
        } else {
            out.emit(.malformed(reason: "The message about a watchlist cannot be read."))
        }
    }

    /// Some servers tell it as an event of its own, `online` or `offline`, without a channel.
    func bareWatchlist(_ envelope: PusherEnvelope, _ out: inout Actions) {
        guard user.phase == .confirmed, envelope.event == "online" || envelope.event == "offline",
            let data = envelope.data.flatMap({ try? JSONText($0) }), let ids = PusherWatchlistChange.userIDs(of: data)
        else { return }
        out.emit(.watchlist([PusherWatchlistChange(name: envelope.event, userIDs: ids)]))
    }
}
