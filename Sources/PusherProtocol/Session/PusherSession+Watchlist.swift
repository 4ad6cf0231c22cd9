import ConnectionEngine
import WireCoding

// Online status of the users of a watchlist. Rule PS-32.
extension PusherSession {
    mutating func watchlist(_ envelope: PusherEnvelope, out: inout Actions) {
        guard user.phase == .confirmed else { return }
        guard let reading = PusherWatchlistChange.Reading(envelope.data) else {
            out.emit(.malformed(reason: "The server's message pusher_internal:watchlist_events is malformed."))
            return
        }
        if !reading.changes.isEmpty || reading.unreadable == 0 { out.emit(.watchlist(reading.changes)) }
        if reading.unreadable > 0 {
            out.emit(
                .malformed(
                    reason:
                        "\(reading.unreadable) parts of the message pusher_internal:watchlist_events are malformed and were ignored."
                ))
        }
    }

    /// Handles a change of a watchlist that some servers send as a separate event, `online` or `offline`, without a channel.
    func bareWatchlist(_ envelope: PusherEnvelope, out: inout Actions) {
        guard user.phase == .confirmed, envelope.event == "online" || envelope.event == "offline",
            let data = envelope.data.flatMap({ try? JSONText($0) }), let ids = PusherWatchlistChange.userIDs(of: data)
        else { return }
        out.emit(.watchlist([PusherWatchlistChange(name: envelope.event, userIDs: ids)]))
    }
}
