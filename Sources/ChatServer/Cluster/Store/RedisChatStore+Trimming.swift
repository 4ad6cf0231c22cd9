import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// Removes the oldest messages that exceed the limits of histories (rules SO-166 and CC-43).
extension RedisChatStore {
    /// Trims the histories of applications. The first call for an application begins to count its messages.
    package func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        var usages: [Identifier: HistoryUsage] = [:]
        for (application, limits) in limits {
            guard counts(application, limits) else {
                stopCounting(application)
                continue
            }
            try await count(application)
            try await countChanged(application)
            var (removed, isUnfinished) = (0, true)
            while isUnfinished {
                try Task.checkCancellation()
                let step = try await counting.run(application) { try await trim(application, limits) }
                removed += step.removed
                isUnfinished = step.isUnfinished
            }
            guard let entries = counted(application)?.entries else { continue }
            usages[application] = HistoryUsage(messages: entries.messages, bytes: entries.bytes, removed: removed)
        }
        return usages
    }

    private static var trimmedStep: Int { 500 }

    /// Removes up to ``trimmedStep`` of the oldest messages. The next purge removes streams without messages.
    private func trim(
        _ application: Identifier, _ limits: HistoryLimits
    ) async throws -> (removed: Int, isUnfinished: Bool) {
        guard let entries = counted(application)?.entries, entries.isWhole, entries.messages > 0 else { return (0, false) }
        var usage = HistoryUsage(messages: entries.messages, bytes: entries.bytes)
        let isExceeded = limits.isExceeded(by: usage)
        guard isExceeded || limits.lowest > 0 else { return (0, false) }
        // The oldest messages are read only after all changes of the counts have been stored.
        try await settle()
        let oldest = try await oldestCounted(application, before: isExceeded ? nil : limits.lowest)
        if oldest.isEmpty {
            // The totals exceed the limit although no message is stored, so they are wrong. The next call counts anew.
            if isExceeded { stopCounting(application) }
            return (0, false)
        }
        var ids: [UInt64] = []
        var histories: [Identifier: [UInt64]] = [:]
        var removed: [(word: StoreWord, bytes: Int?)] = []
        for (id, message) in oldest {
            guard id < limits.lowest || limits.isExceeded(by: usage) else { break }
            removed.append((CountedMessage.word(id), message?.bytes))
            guard let message else { continue }
            ids.append(id)
            histories[message.conversation, default: []].append(id)
            usage.messages -= 1
            usage.bytes -= message.bytes
        }
        guard !removed.isEmpty else { return (0, false) }
        // Only the histories' entries and the receipts are removed. The messages' bodies stay, because inboxes refer to them.
        var writes = histories.map { StoreWrite.removeEntries(keys.history($0.key, application), $0.value) }
        if !ids.isEmpty { writes.append(.remove(ids.map { keys.receipts($0, application) })) }
        let (place, gone, removal) = (keys.counted(application), removed, writes)
        emitCounting(application) { removal + ($0?.entries.remove(gone, place) ?? []) }
        try await settle()
        return (ids.count, removed.count == Self.trimmedStep)
    }

    /// Up to ``trimmedStep`` of the oldest counted messages. The message is nil if the store has no size for its id.
    ///
    /// - Parameter highest: an id; only messages up to the end of its second are returned. Nil for all.
    private func oldestCounted(
        _ application: Identifier, before highest: UInt64?
    ) async throws -> [(id: UInt64, message: CountedMessage?)] {
        let ids = try await reader.ranked(
            in: keys.counted(application).order, to: highest.map { Int64(clamping: $0 / TimetokenClock.ticksPerSecond) },
            limit: Self.trimmedStep
        ).compactMap { UInt64(String(buffer: $0)) }
        return Array(zip(ids, try await countedMessages(ids, application))).map { (id: $0.0, message: $0.1) }
    }

    /// Stops counting the messages of an application before an id, because a purge removes them.
    func uncount(_ application: Identifier, before floor: UInt64) async throws {
        guard floor > 0, counted(application) != nil else { return }
        var isUnfinished = true
        while isUnfinished {
            try Task.checkCancellation()
            isUnfinished = try await counting.run(application) {
                try await settle()
                let removed = try await oldestCounted(application, before: floor).filter { $0.id < floor }
                    .map { (word: CountedMessage.word($0.id), bytes: $0.message?.bytes) }
                guard !removed.isEmpty else { return false }
                emitCounting(application) { [keys] in $0?.entries.remove(removed, keys.counted(application)) ?? [] }
                try await settle()
                return removed.count == Self.trimmedStep
            }
        }
    }
}
