import Identifiers

// Restoring the messages that an earlier process has stored.
extension OutboxMachine {
    /// Restores the messages that an earlier process has stored and not finished.
    mutating func restore(_ records: [OutboxRecord], now: OutboxInstant, into effects: inout [Effect]) {
        for record in records.sorted(by: { $0.order < $1.order }) {
            let id = Identifier(record.id)
            guard items[id] == nil else { continue }
            var item = OutboxItem(record: record, phase: .waiting, enqueued: now)
            item.record.lifetime = min(max(record.lifetime, 1), OutboxOptions.lifetimes.upperBound.components.seconds)
            // If the clock was set back, the time since enqueueing is unknown, and the message gets its whole lifetime from now on.
            item.enqueued = now.before(unixSeconds: record.enqueued) ?? now
            item.firstSent = record.firstSent.flatMap { now.before(unixSeconds: $0) }
            item.record.order = min(max(record.order, 0), Self.highestOrder)
            lastOrder = max(lastOrder, item.record.order)
            bytes += item.bytes
            items[id] = item
            switch record.state {
            case .refused, .unknown, .expired: items[id]?.phase = .failed
            case .waiting, .sending:
                lines[item.channel, default: OutboxLine()].waiting.append(id)
                if record.state == .sending || record.firstSent != nil { restoreAttempted(item, at: now, into: &effects) }
            }
            wake(at: item.deadline, now: now, into: &effects)
        }
        for channel in channelsInOrder { makeReady(channel) }
        effects.append(.entriesChanged)
    }

    /// The highest order number that is accepted from a file. Higher numbers, such as in a manipulated file, are reduced to it, so that the
    /// next number does not overflow.
    private static var highestOrder: Int64 { 1 << 62 }

    /// Restores a message that the earlier process may have sent: it is sent again if the repetition is recognised, and fails otherwise.
    private mutating func restoreAttempted(_ item: OutboxItem, at now: OutboxInstant, into effects: inout [Effect]) {
        let error = item.record.error ?? .diedWhileSending
        items[item.id]?.record.error = error
        let isRepeated = options.repeatsUnknown || item.firstSent.map { isRecognised(since: $0, now: now) } ?? false
        guard isRepeated else { return fail(item.id, as: .unknown, error: error, into: &effects) }
        items[item.id]?.record.state = .waiting
        if let record = items[item.id]?.record { store(.update(record), into: &effects) }
    }
}
