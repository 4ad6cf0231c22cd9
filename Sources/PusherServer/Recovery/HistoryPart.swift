import Identifiers
import RealtimeHub

/// Something of the histories that one process leaves to the next (rules RV-22 and RV-23). A pure value.
enum HistoryPart: Sendable {
    /// An event with a number. Those that a history has come before it, those that are published later behind it.
    case event(ChannelID, PositionedEvent, isKept: Bool, expires: MonotonicInstant)
    /// The numbering, and what was dropped. Without it the events of the channel mean nothing.
    case history(ChannelID, ChannelHistory)
    /// Events that are published from now on have no number.
    case ended(ChannelID)
}

/// A history that another process has left.
struct RestoredHistory: Sendable {
    var channel: ChannelID
    var epoch: String
    /// The number of the latest event.
    var last: UInt64
    var dropped: LatestEvents<Identifier>
    var unkept: LatestEvents<SocketID>
    /// In the order of their numbers, including those after `last`.
    var events: [(event: PositionedEvent, isKept: Bool, expires: MonotonicInstant)] = []

    /// The present history; nil when it is incomplete, so that it must not be used as a complete one.
    func history(at now: MonotonicInstant) -> ChannelHistory? {
        var history = ChannelHistory(epoch: epoch, last: last, dropped: dropped, unkept: unkept)
        for (event, isKept, expires) in events where event.position.epoch == epoch {
            let number = event.position.number
            if number > last {
                guard history.last < .max, number == history.last + 1 else { return nil }
                _ = history.advance()
            }
            if isKept {
                history.keep(event, until: expires)
            } else {
                history.pass(number, from: event.excluding)
            }
        }
        while let first = history.events.first, first.expires <= now { _ = history.dropFirst() }
        return history
    }
}
