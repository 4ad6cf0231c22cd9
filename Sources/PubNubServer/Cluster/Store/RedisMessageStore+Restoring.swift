import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// Restores the state for a new leader.
extension RedisMessageStore {
    /// Restores the state. If the store is empty, the current time is recorded as the beginning of its messages: a cursor from before this
    /// time belongs to a lost stream.
    package func restore() async throws -> RestoredState {
        let names = try await reader.members(of: keys.keysets).map { Identifier(String(buffer: $0)) }
        var state = try await restore(Set(names))
        if try await reader.value(of: keys.began) == nil {
            let now = now()
            if names.isEmpty { state.recentSince = now }
            emit { [keys] _ in (nil, [.setIfAbsent(keys.began, .text(String(now)))]) }
        }
        if hasLost { forget(into: &state) }
        return state
    }

    /// Drops the recent messages after Redis has lost data. Readers begin again after every timetoken that was assigned. Histories are not
    /// affected.
    private func forget(into state: inout RestoredState) {
        let start = max(state.highestTimetoken, now()) + Self.leap
        state.highestTimetoken = start
        state.recentSince = start
        state.recent = [:]
        emit { [keys] state in
            var writes = [StoreWrite.set(keys.began, .text(String(start)))]
            for keyset in state.keysets.keys where state.keysets[keyset]?.counted != nil {
                state.keysets[keyset]?.counted = nil
                writes += keys.counted(keyset).removal
            }
            return (nil, writes)
        }
    }

    package func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        var state = RestoredState(remembersStream: true)
        let now = now()
        state.highestTimetoken = try await token(keys.reserved) ?? 0
        let began = try await token(keys.began) ?? 0
        var newest: UInt64 = 0
        for keyset in applications { newest = max(newest, try await self.newest(of: keys.recent(keyset)) ?? 0) }
        state.highestTimetoken = max(state.highestTimetoken, newest)
        // The clock may have been set back, so that stored timetokens are ahead of it. In that case the newest timetoken counts as the
        // current time.
        let latest = max(now, newest)
        state.recentSince = max(latest - min(latest, settings.catchUp), began)
        for keyset in applications { state.recentSince = max(state.recentSince, try await token(keys.trimmed(keyset)) ?? 0) }
        for keyset in applications {
            try await restoreRecent(keyset, among: applications.count, into: &state)
            guard !settings.hasDatabase else { continue }
            try await restoreCounted(keyset)
            let groups = try await table(keys.groups(keyset))
            if !groups.isEmpty {
                state.groups[keyset] = Dictionary(
                    try groups.map { entry in
                        (Identifier(String(buffer: entry.field)), try KeptGroup(decoding: entry.value).channels)
                    }, uniquingKeysWith: { first, _ in first })
            }
            let access = try await restoreAccess(keyset, at: Int(now / TimetokenClock.ticksPerSecond))
            if !access.isEmpty { state.access[keyset] = access }
            let actions = try await restoreActions(keyset)
            if !actions.isEmpty { state.actions[keyset] = actions }
            let records = try await restoreRecords(keyset)
            if !records.isEmpty { state.records[keyset] = records }
            for case let action? in actions.values.lazy.map(\.last) {
                state.highestTimetoken = max(state.highestTimetoken, action.timetoken)
            }
        }
        let since = state.recentSince
        state.recent = state.recent.mapValues { $0.filter { $0.timetoken > since } }.filter { !$0.value.isEmpty }
        return state
    }

    /// Restores the newest messages first, until the limits of number or bytes are reached.
    private func restoreRecent(_ keyset: Identifier, among count: Int, into state: inout RestoredState) async throws {
        let horizon = state.recentSince
        var found: [StoredMessage] = []
        var bytes = 0
        let cut = try await newestRecent(keyset, after: horizon) { message in
            guard bytes < settings.recentBytes / count, found.count < settings.recentMessages / count else { return false }
            found.append(message)
            bytes += message.bytes
            return true
        }
        if let cut { state.recentSince = max(state.recentSince, cut) }
        let late = try await readLate(of: keyset)
        let known = Set(found.map(\.timetoken))
        found.reverse()
        let recent = found
        self.state.withLockedValue { state in
            for message in recent { state.keysets[keyset, default: RedisKeysetWriter()].noteRestored(message) }
            if !late.isEmpty { state.keysets[keyset, default: RedisKeysetWriter()].hasLate = true }
        }
        guard !late.isEmpty else { return state.recent[keyset] = found }
        found += late.filter { $0.timetoken > horizon && !known.contains($0.timetoken) }
        state.recent[keyset] = found.sorted { $0.timetoken < $1.timetoken }
    }

    /// Restores the totals of the messages that the previous leader has counted.
    private func restoreCounted(_ keyset: Identifier) async throws {
        let place = keys.counted(keyset)
        guard let counted = try await reader.text(of: place.totals).flatMap({ CountedEntries(stored: $0, term) }) else { return }
        emit { state in
            state.keysets[keyset, default: RedisKeysetWriter()].counted = counted
            return (nil, counted.taken(over: place))
        }
    }

    /// Reads recent messages, the newest first. The next page is requested while one page is decoded (rule CR-73).
    ///
    /// - Parameter take: called with each message, until it returns false.
    /// - Returns: the timetoken of the message for which `take` returned false; nil when all messages were read.
    private func newestRecent(
        _ keyset: Identifier, after horizon: UInt64, _ take: (StoredMessage) -> Bool
    ) async throws -> UInt64? {
        let (reader, key, limit) = (reader, keys.recent(keyset), Self.restoredPage)
        guard horizon < UInt64(Int64.max) else { return nil }
        return try await withThrowingTaskGroup(of: [StoredEntry].self) { pages in
            var highest = UInt64(Int64.max)
            pages.addTask { [highest] in
                try await reader.entries(of: key, from: horizon + 1, to: highest, isOldestFirst: false, limit: limit)
            }
            while let page = try await pages.next() {
                if page.count == limit, let last = page.last?.number, last > horizon + 1, last <= highest {
                    highest = last - 1
                    pages.addTask { [highest] in
                        try await reader.entries(of: key, from: horizon + 1, to: highest, isOldestFirst: false, limit: limit)
                    }
                }
                for entry in page {
                    let message = try Self.message(of: entry)
                    guard take(message) else {
                        pages.cancelAll()
                        return message.timetoken
                    }
                }
            }
            return nil
        }
    }

    private func restoreAccess(_ keyset: Identifier, at now: Int) async throws -> [AccessEntry] {
        let order = Dictionary(
            try await table(keys.accessOrder(keyset)).map { ($0.field, UInt64(String(buffer: $0.value)) ?? 0) },
            uniquingKeysWith: { first, _ in first })
        let last = min(order.values.max() ?? 0, UInt64(Int64.max))
        state.withLockedValue { $0.accessOrder = max($0.accessOrder, last) }
        var found: [(place: UInt64, entry: AccessEntry)] = []
        var expired: [AccessEntry.Key] = []
        for (field, value) in try await table(keys.access(keyset)) {
            let entry = try AccessEntry(decoding: value)
            if entry.holds(at: now) { found.append((order[field] ?? .max, entry)) } else { expired.append(entry.key) }
        }
        if !expired.isEmpty {
            let keys = expired
            emit { state in (nil, writes([], removing: keys, of: keyset, &state)) }
        }
        return found.sorted { $0.place < $1.place }.map(\.entry)
    }

    private func restoreActions(_ keyset: Identifier) async throws -> [Identifier: [MessageAction]] {
        var found: [Identifier: [MessageAction]] = [:]
        for (field, value) in try await table(keys.actions(keyset)) {
            guard let place = RedisMessageField(String(buffer: field)) else { throw ClusterCodingError() }
            found[place.channel, default: []].append(try MessageAction(decoding: value))
        }
        return found.mapValues { $0.sorted { $0.timetoken < $1.timetoken } }
    }

    /// Restores the records of a keyset. If only a newer version knows the kind of a record, the record is skipped and stays in the store.
    private func restoreRecords(_ keyset: Identifier) async throws -> [KeysetRecord] {
        try await table(keys.records(keyset)).compactMap { entry in
            var field = entry.field
            guard let number = field.readInteger(as: UInt8.self) else { throw ClusterCodingError() }
            guard let kind = KeysetRecord.Key.Kind(rawValue: Int(number)) else { return nil }
            return KeysetRecord(.init(kind, Array(field.readableBytesView)), Array(entry.value.readableBytesView))
        }
    }

    /// The users who were present when the previous leader ended.
    func restorePresence(_ keyset: Identifier) async throws -> [OccupancyRecord] {
        try await table(keys.presence(keyset)).map { entry in try OccupancyRecord(decoding: entry.value) }
    }

    /// Reads a timetoken that is stored under a key of its own; nil when the key is missing. Timetokens have at most 63 bits, so additions
    /// to them do not overflow (rule CR-42).
    func token(_ key: StoreKey) async throws -> UInt64? {
        try await reader.text(of: key).flatMap { UInt64($0) }.map { min($0, UInt64(Int64.max)) }
    }

    private static var restoredPage: Int { 100 }
}
