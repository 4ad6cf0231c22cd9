import DequeModule
import Identifiers
import NIOCore
import PusherProtocol
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

    /// A history that another process has not left, by its position as it was written down, and what the log has of it (rules RV-41 to RV-43).
    ///
    /// Nil when something may be missing behind what the log has, so that nobody may be told that nothing is.
    ///
    /// - Parameters:
    ///   - isWhole: whether the log has everything since positions were written down.
    ///   - expires: until when an event of that time is kept.
    init?(
        of channel: ChannelID, written: PusherPosition, _ logged: LoggedHistory?, isWhole: Bool,
        expires: (_ time: Int64) -> MonotonicInstant
    ) {
        self.init(channel: channel, epoch: written.epoch, last: written.number, dropped: .init(), unkept: .init())
        if let logged, let first = logged.events.first?.number, let latest = logged.events.last?.number {
            guard latest >= written.number, !isWhole || logged.begins - 1 <= written.number else { return nil }
            last = first - 1
            events = logged.events.map { event in
                let position = event.position
                let kept =
                    position.isKept
                    ? PositionedEvent(event.frame, at: position.position, excluding: event.excluding, user: position.user)
                    : PositionedEvent(
                        positioned: ByteBuffer(), at: position.position, excluding: event.excluding, user: nil, isKept: false)
                return (kept, position.isKept, expires(position.time))
            }
        } else if !isWhole {
            return nil
        }
        // Events that were kept and are not in the log are gone: whoever missed one of them is told so.
        if last > 0 { dropped.note(last, from: nil) }
    }

    init(
        channel: ChannelID, epoch: String, last: UInt64, dropped: LatestEvents<Identifier>, unkept: LatestEvents<SocketID>
    ) {
        (self.channel, self.epoch, self.last) = (channel, epoch, last)
        (self.dropped, self.unkept) = (dropped, unkept)
    }

    /// The history as it is now; nil when something is missing in it, so that nobody may be told that nothing is.
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

/// An event with a position, as the log has it.
struct LoggedEvent: Sendable {
    var frame: ByteBuffer
    var position: LoggedPosition
    var excluding: SocketID?

    var number: UInt64 { position.position.number }
}

/// What the log has of one history: its latest events, without a hole between them.
struct LoggedHistory: Sendable {
    private(set) var events: Deque<LoggedEvent> = []
    /// The number from which on the log has all events, also those that are more than a channel keeps; above 0 where there are any.
    private(set) var begins: UInt64 = 0
    private var kept = 0

    /// Adds the next event. What came before a hole is forgotten, and so is what is more than a channel keeps.
    mutating func add(_ event: LoggedEvent, keeping limit: Int) {
        // Events are numbered from 1.
        guard event.number > events.last?.number ?? 0 else { return }
        if event.number - 1 != events.last?.number { (events, kept, begins) = ([], 0, event.number) }
        events.append(event)
        kept += event.position.isKept ? 1 : 0
        while kept > max(limit, 1), let first = events.popFirst() { kept -= first.position.isKept ? 1 : 0 }
    }
}
