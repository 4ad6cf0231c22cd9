import DequeModule
import Identifiers
import NIOCore
import PusherProtocol
import ServerStorage

/// The histories of events of one shard's channels. A value without locks, clocks and randomness (rules RV-10 to RV-13).
///
/// A history starts with the first subscription of a connection with recovery, and ends when the channel has had no subscribers for a day.
struct ChannelHistories: Sendable {
    /// The events and histories of one application that take memory, in the order in which they are dropped when the application's memory
    /// limit is reached.
    private struct Ledger: Sendable {
        /// A stored event; if the number is 0, the history of a channel without subscribers.
        struct Item: Sendable {
            var channel: ChannelID
            var epoch: String
            var number: UInt64
            /// The time at which the event expires or the history ends.
            var expires: MonotonicInstant
            /// The time by which items are dropped when there is no room: the item with the earliest time first.
            var isDue: MonotonicInstant
        }

        /// Stored events. Events that were dropped with their history may still be listed.
        var events: Deque<Item> = []
        /// Histories of channels without subscribers. Histories that have ended or have subscribers again may still be listed.
        var vacancies: Deque<Item> = []
        var tally = RecoveryTally()

        /// The item that is dropped next when there is no room; nil when there is none.
        var oldest: Item? {
            guard let event = events.first else { return vacancies.first }
            guard let vacancy = vacancies.first else { return event }
            return vacancy.isDue <= event.isDue ? vacancy : event
        }

        mutating func popOldest() -> Item? {
            guard let oldest else { return nil }
            return oldest.number == 0 ? vacancies.popFirst() : events.popFirst()
        }
    }

    /// Histories without their events may take three quarters of an application's memory limit, so that there is always room for events.
    private static let parts = (ofHistories: 3, all: 4)

    /// The minimum time for which a channel without subscribers keeps its position: a day (rule RV-18).
    static let vacancyLifetime = Duration.seconds(86_400)

    private var histories: [ChannelID: ChannelHistory] = [:]
    /// The channels whose histories have ended since the last call of ``takeEnded()``.
    private var ended: [ChannelID] = []
    /// Whether the channels whose histories end are collected for ``takeEnded()``.
    private var notesEnds = false
    /// The channels whose positions have changed since the last call of ``takeChanged()``, each once.
    private var changed: [ChannelID] = []
    /// Whether the channels whose positions change are collected for ``takeChanged()``.
    private var notesChanges = false
    private var ledgers: [Identifier: Ledger] = [:]

    /// Whether no channel has a history, so that an event needs no position.
    var isEmpty: Bool { histories.isEmpty }

    /// The size of each application's histories, by its id.
    var tallies: [Identifier: RecoveryTally] { ledgers.mapValues(\.tally) }

    subscript(channel: ChannelID) -> ChannelHistory? { histories[channel] }

    // MARK: Subscribers

    /// Subscribes a connection with recovery, and returns the events that it has missed. Starts a history if there is none and there is
    /// room for one.
    ///
    /// Without a history, the confirmation contains a position whose epoch belongs to no history. A client that reconnects with this
    /// position is informed that events may be missing.
    ///
    /// - Parameters:
    ///   - request: the position up to which the connection has events; nil for none.
    ///   - user: the user id of the member, on a presence channel.
    ///   - limit: the largest number of bytes to replay.
    ///   - room: the memory limit, in bytes, of the application's histories in this shard.
    ///   - mayBegin: whether a history may be started.
    ///   - epoch: makes the unique name of a new history.
    mutating func join(
        _ channel: ChannelID, after request: PusherRecoverRequest?, user: String?, limit: Int, room: Int = .max,
        mayBegin: Bool = true, at now: MonotonicInstant, epoch: () -> String
    ) -> Replay {
        let begins = mayBegin && begin(channel, room: room, epoch: epoch)
        var replay =
            histories[channel]?.replay(after: request, user: user, limit: limit, at: now)
            ?? Replay(
                outcome: PusherRecoveryOutcome(
                    position: PusherPosition(epoch: epoch(), number: 0), recovered: request == nil ? nil : false))
        replay.beganHistory = begins
        ledgers[Identifier(channel.application)]?.tally.count(replay)
        return replay
    }

    /// Starts the history of a channel with subscribers, unless it has one (rule RV-16). To make room, the oldest histories of channels
    /// without subscribers are removed. Returns whether a history was started.
    @discardableResult
    mutating func begin(_ channel: ChannelID, room: Int = .max, epoch: () -> String) -> Bool {
        guard histories[channel] == nil else { return false }
        let application = Identifier(channel.application)
        let cost = RecoveryTally.cost(of: channel)
        let limit = room / Self.parts.all * Self.parts.ofHistories
        while (ledgers[application]?.tally.channelBytes ?? 0) > limit - cost {
            guard endOldestVacancy(of: application) else { return false }
        }
        histories[channel] = ChannelHistory(epoch: epoch())
        ledgers[application, default: Ledger()].tally.add(channel)
        dropOldest(of: application, beyond: room)
        return true
    }

    /// Records that the channel has subscribers again, so that its history does not end.
    mutating func occupied(_ channel: ChannelID) {
        guard let index = histories.index(forKey: channel) else { return }
        histories.values[index].ends = nil
    }

    /// Records that the channel has no subscribers any more, so that its history ends after some time.
    mutating func vacated(_ channel: ChannelID, _ settings: RecoverySettings, at now: MonotonicInstant) {
        guard let index = histories.index(forKey: channel) else { return }
        // RV-18: after `lifetime` the history has no events any more. Its position remains for clients that reconnect and have missed
        // nothing.
        let ends = now.advanced(by: max(settings.lifetime, Self.vacancyLifetime))
        histories.values[index].ends = ends
        note(
            Ledger.Item(
                channel: channel, epoch: histories.values[index].epoch, number: 0, expires: ends,
                isDue: now.advanced(by: settings.lifetime)))
    }

    // MARK: Events

    /// Gives an event its position and stores it. Returns nil when the channel has no history.
    ///
    /// - Parameters:
    ///   - isKept: whether the event is replayed to clients that missed it.
    ///   - limit: the memory limit, in bytes, of the application's histories in this shard. The oldest events that exceed it are dropped.
    mutating func add(
        _ frame: ByteBuffer, to channel: ChannelID, excluding: SocketID? = nil, user: String? = nil, isKept: Bool = true,
        _ settings: RecoverySettings, limit: Int, at now: MonotonicInstant
    ) -> PositionedEvent? {
        guard let index = histories.index(forKey: channel) else { return nil }
        guard settings.isEnabled else {
            // Recovery is switched off, so events get no numbers. The history ends, because its numbers must not continue after a gap.
            end(channel)
            return nil
        }
        let position = histories.values[index].advance()
        noteChange(of: channel, at: index)
        let event = PositionedEvent(frame, at: position, excluding: excluding, user: user, isKept: isKept)
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
        note(Ledger.Item(channel: channel, epoch: position.epoch, number: position.number, expires: expires, isDue: expires))
        dropOldest(of: application, beyond: limit)
        return event
    }

    private mutating func note(_ item: Ledger.Item) {
        let application = Identifier(item.channel.application)
        guard var ledger = ledgers.removeValue(forKey: application) else { return }
        if item.number == 0 {
            ledger.vacancies.append(item)
            if ledger.vacancies.count > 2 * ledger.tally.channels + 64 { ledger.vacancies.removeAll { !isCurrent($0) } }
        } else {
            ledger.events.append(item)
            if ledger.events.count > 2 * ledger.tally.events + 64 { ledger.events.removeAll { !isCurrent($0) } }
        }
        ledgers[application] = ledger
    }

    private func isCurrent(_ item: Ledger.Item) -> Bool {
        guard let history = histories[item.channel], history.epoch == item.epoch else { return false }
        if item.number == 0 { return history.ends == item.expires }
        return (history.events.first?.event.position.number ?? .max) <= item.number
    }

    /// Drops the oldest events, and the oldest histories without subscribers, of an application until its histories take at most `limit`
    /// bytes.
    private mutating func dropOldest(of application: Identifier, beyond limit: Int) {
        while (ledgers[application]?.tally.bytes ?? 0) > limit, let item = ledgers[application]?.popOldest() {
            if isCurrent(item) { drop(item, of: application) }
        }
    }

    /// Ends the history that has been without subscribers for the longest time; returns false when there is none.
    private mutating func endOldestVacancy(of application: Identifier) -> Bool {
        while let item = ledgers[application]?.vacancies.popFirst() {
            guard isCurrent(item) else { continue }
            end(item.channel)
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

    /// Removes a channel's history and its events.
    private mutating func end(_ channel: ChannelID) {
        let application = Identifier(channel.application)
        guard let history = histories.removeValue(forKey: channel) else { return }
        for kept in history.events { ledgers[application]?.tally.remove(kept.event) }
        ledgers[application]?.tally.remove(channel)
        if notesEnds { ended.append(channel) }
    }

    // MARK: Another process

    /// Returns all histories for the next leader, each after its events, and starts to collect the histories that end.
    ///
    /// - Parameter budget: the largest number of bytes of events. If a history's events exceed the rest of the budget, only the latest of
    ///   them are returned, and the history records that earlier events are missing.
    mutating func handOver(_ budget: inout Int) -> [HistoryPart] {
        notesEnds = true
        var parts: [HistoryPart] = []
        for (channel, var history) in histories {
            var bytes = history.events.reduce(0) { $0 + $1.event.memory }
            while bytes > budget, let dropped = history.dropFirst() { bytes -= dropped.memory }
            budget -= bytes
            parts += history.events.map { .event(channel, $0.event, isKept: true, expires: $0.expires) }
            parts.append(.history(channel, history))
        }
        return parts
    }

    /// Starts to collect the changed positions for ``takeChanged()`` and the ended histories for ``takeEnded()``.
    mutating func noteChanges() {
        notesEnds = true
        notesChanges = true
    }

    private mutating func noteChange(of channel: ChannelID, at index: Dictionary<ChannelID, ChannelHistory>.Index) {
        guard notesChanges, !histories.values[index].isChanged else { return }
        histories.values[index].isChanged = true
        changed.append(channel)
    }

    /// Returns those histories whose positions have changed since the last call of this method. Their events are left out.
    mutating func takeChanged() -> [HistoryPart] {
        guard !changed.isEmpty else { return [] }
        defer { changed = [] }
        return changed.compactMap { channel in
            guard let index = histories.index(forKey: channel) else { return nil }
            histories.values[index].isChanged = false
            return .history(channel, histories.values[index])
        }
    }

    /// All histories, without their events.
    var all: [HistoryPart] { histories.map { .history($0, $1) } }

    /// Returns the channels whose histories have ended since the last call.
    mutating func takeEnded() -> [ChannelID] {
        guard !ended.isEmpty else { return [] }
        defer { ended = [] }
        return ended
    }

    /// Continues histories that were restored from another process.
    ///
    /// - Parameters:
    ///   - isOccupied: whether a channel has subscribers.
    ///   - limit: the memory limit, in bytes, of an application's histories in this shard. The oldest events that exceed it are dropped.
    mutating func restore(
        _ restored: [RestoredHistory], _ settings: RecoverySettings, limit: Int, at now: MonotonicInstant,
        isOccupied: (ChannelID) -> Bool
    ) {
        var items: [Ledger.Item] = []
        for item in restored where histories[item.channel] == nil {
            guard let history = item.history(at: now) else { continue }
            histories[item.channel] = history
            let application = Identifier(item.channel.application)
            ledgers[application, default: Ledger()].tally.add(item.channel)
            for kept in history.events {
                ledgers[application]?.tally.add(kept.event)
                let number = kept.event.position.number
                items.append(
                    Ledger.Item(
                        channel: item.channel, epoch: item.epoch, number: number, expires: kept.expires, isDue: kept.expires))
            }
            if isOccupied(item.channel) { occupied(item.channel) } else { vacated(item.channel, settings, at: now) }
        }
        for item in items.sorted(by: { $0.expires < $1.expires }) { note(item) }
        for application in Set(restored.map { Identifier($0.channel.application) }) { dropOldest(of: application, beyond: limit) }
    }

    // MARK: Time

    /// Drops expired events and ends expired histories. Call it about once per second.
    mutating func sweep(at now: MonotonicInstant) {
        for application in Array(ledgers.keys) {
            while let item = ledgers[application]?.events.first, item.expires <= now {
                _ = ledgers[application]?.events.popFirst()
                if isCurrent(item) { drop(item, of: application) }
            }
            while let item = ledgers[application]?.vacancies.first, item.expires <= now {
                _ = ledgers[application]?.vacancies.popFirst()
                if isCurrent(item) { drop(item, of: application) }
            }
        }
    }
}
