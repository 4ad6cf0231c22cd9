import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// Applies the limits of histories (rules SO-165 and CB-60).
extension RedisMessageStore {
    /// Removes the oldest messages beyond the limits. The first call for a keyset starts to count the keyset's messages.
    package func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        guard !settings.hasDatabase else { return [:] }
        var usages: [Identifier: HistoryUsage] = [:]
        for (keyset, limits) in limits {
            try await count(keyset)
            var removed = 0
            var step: TrimmingStep
            repeat {
                try Task.checkCancellation()
                step = try await counting.run(keyset) { try await trim(keyset, limits) }
                removed += step.removed
                if !step.channels.isEmpty { await removeEmptyHistories(step.channels, of: keyset) }
            } while step.isUnfinished
            // If a message has arrived out of order while messages were removed, the counts were discarded. The next call counts the
            // messages anew.
            guard let counted = counted(keyset), counted.isWhole else { continue }
            usages[keyset] = HistoryUsage(messages: counted.messages, bytes: counted.bytes, removed: removed)
        }
        return usages
    }

    /// The outcome of one step of trimming.
    private struct TrimmingStep: Sendable {
        var removed = 0
        /// The channels of the removed messages.
        var channels: Set<Identifier> = []
        var isUnfinished = false
    }

    private static var trimmedStep: Int { 500 }

    /// Removes at most ``trimmedStep`` of the oldest messages from a keyset's histories.
    private func trim(_ keyset: Identifier, _ limits: HistoryLimits) async throws -> TrimmingStep {
        guard let counted = counted(keyset), counted.isWhole, counted.messages > 0 else { return TrimmingStep() }
        let usage = HistoryUsage(messages: counted.messages, bytes: counted.bytes)
        let isExceeded = limits.isExceeded(by: usage)
        guard isExceeded || limits.lowest > 0 else { return TrimmingStep() }
        // All counted messages have to be stored before the oldest messages are read.
        try await flush()
        let second = Int64(clamping: limits.lowest / TimetokenClock.ticksPerSecond)
        let oldest = try await reader.ranked(
            in: keys.counted(keyset).order, to: isExceeded ? nil : second, limit: Self.trimmedStep
        ).compactMap { RedisMessageField(String(buffer: $0)) }
        if oldest.isEmpty {
            // The totals exceed the limits, but no message was found. So the totals are wrong, and the next call counts the messages anew.
            if isExceeded { stopCounting(keyset) }
            return TrimmingStep()
        }
        var left = usage
        var removed: [(field: RedisMessageField, bytes: Int?)] = []
        for (field, bytes) in zip(oldest, try await sizes(of: oldest, keyset)) {
            guard field.timetoken < limits.lowest || limits.isExceeded(by: left) else { break }
            removed.append((field, bytes))
            guard let bytes else { continue }
            left.messages -= 1
            left.bytes -= bytes
        }
        guard !removed.isEmpty else { return TrimmingStep() }
        try await wait(for: emitRemoval(of: removed, keyset, writes(removing: removed.map(\.field), of: keyset)))
        return TrimmingStep(
            removed: removed.count { $0.bytes != nil }, channels: Set(removed.map(\.field.channel)),
            isUnfinished: removed.count == Self.trimmedStep)
    }

    /// The writes that remove messages from histories. The copies among the recent messages stay, so that subscribers may still catch up
    /// with them.
    private func writes(removing messages: [RedisMessageField], of keyset: Identifier) -> [StoreWrite] {
        var numbers: [Identifier: [UInt64]] = [:]
        for message in messages { numbers[message.channel, default: []].append(message.timetoken) }
        let words = messages.map(\.word)
        var writes = numbers.map { StoreWrite.removeEntries(keys.history(keyset, $0.key), $0.value) }
        writes.append(.removeRanked(keys.expiring(keyset), words))
        if state.withLockedValue({ $0.keysets[keyset]?.hasLate ?? false }) {
            writes.append(.removeFields(keys.late(keyset), words))
        }
        return writes
    }
}
