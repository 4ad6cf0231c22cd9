import ConnectionEngine
import WireCoding

// Online status of the users of a watchlist. Rule PS-32.
extension PusherSession {
    mutating func watchlist(_ envelope: PusherEnvelope, out: inout Actions) {
        guard user.phase == .confirmed else { return }
        guard let reading = PusherWatchlistChange.Reading(envelope.data) else {
            out.emit(.malformed(reason: "The message about a watchlist cannot be read."))
            return
        }
        if !reading.changes.isEmpty || reading.unreadable == 0 { out.emit(.watchlist(reading.changes)) }
        if reading.unreadable > 0 {
            out.emit(.malformed(reason: "\(reading.unreadable) parts of a message about a watchlist cannot be read."))
        }
    }

    /// Handles the message of some servers that send the change as a separate event, `online` or `offline`, without a channel.
    func bareWatchlist(_ envelope: PusherEnvelope, out: inout Actions) {
        guard user.phase == .confirmed, envelope.event == "online" || envelope.event == "offline",
            let data = envelope.data.flatMap({ try? JSONText($0) }), let ids = PusherWatchlistChange.userIDs(of: data)
        else { return }
        out.emit(.watchlist([PusherWatchlistChange(name: envelope.event, userIDs: ids)]))
    }
}
