import DequeModule
import Identifiers
import NIOCore
import PusherProtocol
import ServerValues

/// One element of the histories that a leader hands over to the next leader (rules RV-22 and RV-23). A pure value.
enum HistoryPart: Sendable {
    /// An event with a number. Events that the history has when it is written stand before the element ``history(_:_:)``, and events that
    /// are published later stand after it.
    case event(ChannelID, PositionedEvent, isKept: Bool, expires: MonotonicInstant)
    /// The numbers of a history, and its latest dropped events. Without this element, the next leader cannot use the events of the channel.
    case history(ChannelID, ChannelHistory)
    /// The end of a history: later events of the channel have no number.
    case ended(ChannelID)
}

/// A history that the previous leader has handed over, or that was restored from the log.
struct RestoredHistory: Sendable {
    var channel: ChannelID
    var epoch: String
    /// The number of the history's latest event when the history was stored.
    var last: UInt64
    var dropped: LatestEvents<Identifier>
    var unkept: LatestEvents<SocketID>
    /// The events in the order of their numbers, including those after `last`.
    var events: [(event: PositionedEvent, isKept: Bool, expires: MonotonicInstant)] = []

    /// Restores a history that was not handed over, from its stored position and from its events in the log (rules RV-41 to RV-43).
    ///
    /// Returns nil when the log may lack the latest events. Otherwise clients that have missed these events would be informed that they
    /// have missed nothing.
    ///
    /// - Parameters:
    ///   - isWhole: whether the log contains all events since positions were stored.
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
        // Stored events that are no longer in the log are lost. Clients that have missed one of them are informed that events are missing.
        if last > 0 { dropped.note(last, from: nil) }
    }

    init(
        channel: ChannelID, epoch: String, last: UInt64, dropped: LatestEvents<Identifier>, unkept: LatestEvents<SocketID>
    ) {
        (self.channel, self.epoch, self.last) = (channel, epoch, last)
        (self.dropped, self.unkept) = (dropped, unkept)
    }

    /// Makes the history at the current time. Returns nil when an event of the history is missing. Otherwise clients that have missed this
    /// event would be informed that they have missed nothing.
    func history(at now: MonotonicInstant) -> ChannelHistory? {
        // A larger number is damaged data, and the event numbers after it would not fit into 64 bits (rule CR-42).
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

/// The latest events of a history that the log contains, with consecutive numbers.
struct LoggedHistory: Sendable {
    private(set) var events: Deque<LoggedEvent> = []
    /// The number of the first event from which on the log contains all events of the channel. It may be lower than that of the first event
    /// in the list, which has at most as many events as a channel stores. It is 0 if there are no events.
    private(set) var begins: UInt64 = 0
    private var kept = 0

    /// Adds the next event. If its number does not follow the last one, all earlier events are dropped. Events that exceed `limit` are
    /// dropped as well.
    mutating func add(_ event: LoggedEvent, keeping limit: Int) {
        // Event numbers begin at 1, and each must be greater than the last one.
        guard event.number > events.last?.number ?? 0 else { return }
        if event.number - 1 != events.last?.number { (events, kept, begins) = ([], 0, event.number) }
        events.append(event)
        kept += event.position.isKept ? 1 : 0
        while kept > max(limit, 1), let first = events.popFirst() { kept -= first.position.isKept ? 1 : 0 }
    }
}
