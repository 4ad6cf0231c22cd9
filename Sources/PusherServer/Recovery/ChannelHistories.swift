import DequeModule
import Identifiers
import NIOCore
import PusherProtocol
import RealtimeHub

/// The histories of some of the channels of a server. A value without locks, clocks and randomness (rules RV-10 to RV-13).
///
/// A history begins with the first subscription of a connection with recovery, and ends when the channel has had no subscribers for as long as
/// events are kept.
struct ChannelHistories: Sendable {
    /// What an application's histories take, oldest first.
    private struct Ledger: Sendable {
        /// An event, or with the number 0 the end of a history without subscribers.
        struct Item: Sendable {
            var channel: ChannelID
            var epoch: String
            var number: UInt64
            var expires: MonotonicInstant
        }

        /// May still have items of what was dropped otherwise.
        var items: Deque<Item> = []
        var tally = RecoveryTally()
    }

    private var histories: [ChannelID: ChannelHistory] = [:]
    private var ledgers: [Identifier: Ledger] = [:]

    /// Whether no channel has a history. Asked for each event.
    var isEmpty: Bool { histories.isEmpty }

    /// What there is of each application, by its id.
    var tallies: [Identifier: RecoveryTally] { ledgers.mapValues(\.tally) }

    subscript(channel: ChannelID) -> ChannelHistory? { histories[channel] }

    // MARK: Subscribers

    /// A connection with recovery subscribes: what it is sent. Begins a history if there is none.
    ///
    /// - Parameters:
    ///   - request: what the connection has already; nil for nothing.
    ///   - user: the member's user on a presence channel.
    ///   - limit: how many bytes may be replayed.
    ///   - epoch: names a new history; no other history has had the name.
    mutating func join(
        _ channel: ChannelID, after request: PusherRecoverRequest?, user: String?, limit: Int, at now: MonotonicInstant,
        epoch: () -> String
    ) -> Replay {
        begin(channel, epoch: epoch)
        let replay =
            histories[channel]?.replay(after: request, user: user, limit: limit, at: now)
            ?? Replay(outcome: PusherRecoveryOutcome(position: PusherPosition(epoch: epoch(), number: 0)))
        ledgers[Identifier(channel.application)]?.tally.count(replay)
        return replay
    }

    /// Begins the history of a channel with subscribers, if there is none.
    mutating func begin(_ channel: ChannelID, epoch: () -> String) {
        guard histories[channel] == nil else { return }
        histories[channel] = ChannelHistory(epoch: epoch())
        ledgers[Identifier(channel.application), default: Ledger()].tally.add(channel)
    }

    /// The channel has subscribers again.
    mutating func occupied(_ channel: ChannelID) {
        guard let index = histories.index(forKey: channel) else { return }
        histories.values[index].ends = nil
    }

    /// The channel has no subscribers any more.
    mutating func vacated(_ channel: ChannelID, _ settings: RecoverySettings, at now: MonotonicInstant) {
        guard let index = histories.index(forKey: channel) else { return }
        let ends = now.advanced(by: settings.lifetime)
        histories.values[index].ends = ends
        note(Ledger.Item(channel: channel, epoch: histories.values[index].epoch, number: 0, expires: ends))
    }

    // MARK: Events

    /// Gives an event its position and keeps it; nil when the channel has no history.
    ///
    /// - Parameters:
    ///   - isKept: whether the event is replayed to those who miss it.
    ///   - limit: how many bytes the histories of the application may take here. Beyond it the oldest events are dropped.
    mutating func add(
        _ frame: ByteBuffer, to channel: ChannelID, excluding: SocketID? = nil, user: String? = nil, isKept: Bool = true,
        _ settings: RecoverySettings, limit: Int, at now: MonotonicInstant
    ) -> PositionedEvent? {
        guard let index = histories.index(forKey: channel) else { return nil }
        guard settings.isEnabled else {
            // What is published meanwhile has no number, so the numbering must not go on.
            end(channel)
            return nil
        }
        let position = histories.values[index].advance()
        let event = PositionedEvent(frame, at: position, excluding: excluding, user: user)
        guard isKept else {
            histories.values[index].pass(position.number, from: excluding)
            return event
        }
        let expires = now.advanced(by: settings.lifetime)
        histories.values[index].keep(event, until: expires)
        let application = Identifier(channel.application)
        ledgers[application, default: Ledger()].tally.add(event)
        while histories.values[index].events.count > settings.messages {
            guard let dropped = histories.values[index].dropFirst() else { break }
            ledgers[application]?.tally.remove(dropped)
        }
        note(Ledger.Item(channel: channel, epoch: position.epoch, number: position.number, expires: expires))
        while (ledgers[application]?.tally.bytes ?? 0) > limit, dropOldest(of: application) {}
        return event
    }

    private mutating func note(_ item: Ledger.Item) {
        let application = Identifier(item.channel.application)
        guard var ledger = ledgers.removeValue(forKey: application) else { return }
        ledger.items.append(item)
        if ledger.items.count > 2 * (ledger.tally.events + ledger.tally.channels) + 64 {
            ledger.items.removeAll { !isCurrent($0) }
        }
        ledgers[application] = ledger
    }

    private func isCurrent(_ item: Ledger.Item) -> Bool {
        guard let history = histories[item.channel], history.epoch == item.epoch else { return false }
        if item.number == 0 { return history.ends == item.expires }
        return (history.events.first?.event.position.number ?? .max) <= item.number
    }

    /// Drops what is the oldest of an application; false when there is nothing to drop.
    private mutating func dropOldest(of application: Identifier) -> Bool {
        while let item = ledgers[application]?.items.popFirst() {
            guard isCurrent(item) else { continue }
            drop(item, of: application)
            return true
        }
        return false
    }

    private mutating func drop(_ item: Ledger.Item, of application: Identifier) {
        if item.number == 0 {
            end(item.channel)
        } else if let index = histories.index(forKey: item.channel), let dropped = histories.values[index].dropFirst() {
            ledgers[application]?.tally.remove(dropped)
        }
    }

    /// Forgets a channel's history.
    private mutating func end(_ channel: ChannelID) {
        let application = Identifier(channel.application)
        guard let history = histories.removeValue(forKey: channel) else { return }
        for kept in history.events { ledgers[application]?.tally.remove(kept.event) }
        ledgers[application]?.tally.remove(channel)
    }

    // MARK: Time

    /// Drops what has expired. To be called about every second.
    mutating func sweep(at now: MonotonicInstant) {
        for application in Array(ledgers.keys) {
            while let item = ledgers[application]?.items.first, item.expires <= now {
                ledgers[application]?.items.removeFirst()
                if isCurrent(item) { drop(item, of: application) }
            }
        }
    }
}
