import DequeModule
import Identifiers
import NIOCore
import PusherProtocol
import ServerValues

/// A part of the histories that one process hands over to the next (rules RV-22 and RV-23). A pure value.
enum HistoryPart: Sendable {
    /// An event with a number. A history comes after its stored events, and before the events that are published later.
    case event(ChannelID, PositionedEvent, isKept: Bool, expires: MonotonicInstant)
    /// The numbering, and the latest dropped events. Without it the events of the channel cannot be used.
    case history(ChannelID, ChannelHistory)
    /// The history has ended: events that are published from now on have no number.
    case ended(ChannelID)
}

/// A history that another process has handed over.
struct RestoredHistory: Sendable {
    var channel: ChannelID
    var epoch: String
    /// The number of the latest event.
    var last: UInt64
    var dropped: LatestEvents<Identifier>
    var unkept: LatestEvents<SocketID>
    /// The events in the order of their numbers, including those after `last`.
    var events: [(event: PositionedEvent, isKept: Bool, expires: MonotonicInstant)] = []

    /// Restores a history that another process has not handed over, from its written position and from its events in the log (rules
    /// RV-41 to RV-43).
    ///
    /// Nil when events after those in the log may be missing: clients must not be told that they have missed nothing.
    ///
    /// - Parameters:
    ///   - isWhole: whether the log contains all events since positions were written.
    ///   - expires: when an event that was decided at the given time expires.
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
        // Stored events that are not in the log are lost: clients that missed one of them are told so.
        if last > 0 { dropped.note(last, from: nil) }
    }

    init(
        channel: ChannelID, epoch: String, last: UInt64, dropped: LatestEvents<Identifier>, unkept: LatestEvents<SocketID>
    ) {
        (self.channel, self.epoch, self.last) = (channel, epoch, last)
        (self.dropped, self.unkept) = (dropped, unkept)
    }

    /// The history in its current state; nil when events are missing in it, because clients must not be told that they have missed nothing.
    func history(at now: MonotonicInstant) -> ChannelHistory? {
        // No channel has had as many events, and later numbers would not fit (rule CR-42).
        guard last <= UInt64(Int64.max) else { return nil }
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

/// An event with a position, read from the log.
struct LoggedEvent: Sendable {
    var frame: ByteBuffer
    var position: LoggedPosition
    var excluding: SocketID?

    var number: UInt64 { position.position.number }
}

/// The part of a history that the log contains: its latest events, without a gap between them.
struct LoggedHistory: Sendable {
    private(set) var events: Deque<LoggedEvent> = []
    /// The number from which on the log contains all events, including those beyond the number that a channel stores; above 0 if
    /// there are any events.
    private(set) var begins: UInt64 = 0
    private var kept = 0

    /// Adds the next event. Events before a gap, and events beyond the number that a channel stores, are dropped.
    mutating func add(_ event: LoggedEvent, keeping limit: Int) {
        // Events are numbered from 1.
        guard event.number > events.last?.number ?? 0 else { return }
        if event.number - 1 != events.last?.number { (events, kept, begins) = ([], 0, event.number) }
        events.append(event)
        kept += event.position.isKept ? 1 : 0
        while kept > max(limit, 1), let first = events.popFirst() { kept -= first.position.isKept ? 1 : 0 }
    }
}
