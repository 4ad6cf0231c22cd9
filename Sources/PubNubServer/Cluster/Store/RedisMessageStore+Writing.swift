import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// The writes that store the leader's decisions.
extension RedisMessageStore {
    package func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let now = now()
        emit { isKept in
            completion(isKept ? nil : RedisStoreClosed())
        } _: { [keys, settings] state in
            let keyset = Identifier(application)
            return (
                nil,
                state.keysets[keyset, default: RedisKeysetWriter()].writes(
                    for: message, message.encoded(), with: change, of: keyset, keys, settings, at: now)
            )
        }
    }

    package func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let (keyset, now) = (Identifier(application), now())
        emit { isKept in
            completion(isKept ? nil : RedisStoreClosed())
        } _: { [keys, settings] state in
            var writer = state.keysets.removeValue(forKey: keyset) ?? RedisKeysetWriter()
            defer { state.keysets[keyset] = writer }
            var written = writer.list(keyset, keys) + writes(changes, of: keyset)
            for message in messages {
                written += writer.writes(
                    for: message, message.encoded(), with: nil, of: keyset, keys, settings, at: now)
            }
            return (nil, written)
        }
    }

    /// The writes for changed records. Records are fields of one Redis hash for each keyset. A node has written the content of a file with
    /// a time limit; the file's record makes the content permanent. The content is removed together with the record, or when the record of
    /// the file's deletion replaces the record (rules FI-24, FI-25).
    func writes(_ changes: [KeysetRecordChange], of keyset: Identifier) -> [StoreWrite] {
        changes.flatMap { change -> [StoreWrite] in
            switch change {
            case .put(let record):
                let write = StoreWrite.put(
                    keys.records(keyset), Self.field(record.key), value: .bytes(ByteBuffer(bytes: record.value)))
                guard let content = content(record.key, keyset) else { return [write] }
                return [write, StoredFile(record) == nil ? .remove(content) : .persist(content)]
            case .remove(let key):
                let write = StoreWrite.removeFields(keys.records(keyset), [Self.field(key)])
                return [write] + (content(key, keyset).map { [.remove($0)] } ?? [])
            }
        }
    }

    /// The Redis key of a file's content, for the record of a file; nil for other records.
    private func content(_ key: KeysetRecord.Key, _ keyset: Identifier) -> StoreKey? {
        key.kind == .file ? keys.file(keyset, Identifier(String(decoding: key.name, as: UTF8.self))) : nil
    }

    /// The name of a record's field: one byte for the kind, then the record's name.
    static func field(_ key: KeysetRecord.Key) -> StoreWord {
        var field = ByteBuffer()
        field.writeInteger(UInt8(truncatingIfNeeded: key.kind.rawValue))
        field.writeBytes(key.name)
        return .bytes(field)
    }

    package func reserve(timetokensUpTo limit: UInt64) async throws {
        try await perform([.set(keys.reserved, .text(String(limit)))])
    }

    package func save(group: Identifier, channels: [Identifier], application: String) async throws {
        let keyset = Identifier(application)
        try await wait(
            for: emit { [keys] state in
                (
                    nil,
                    state.keysets[keyset, default: RedisKeysetWriter()].list(keyset, keys) + [write(group, channels, of: keyset)]
                )
            })
    }

    /// The write that replaces the stored channels of a group, or removes an empty group.
    func write(_ group: Identifier, _ channels: [Identifier], of keyset: Identifier) -> StoreWrite {
        guard !channels.isEmpty else { return .removeFields(keys.groups(keyset), [.text(group.text)]) }
        return .put(keys.groups(keyset), .text(group.text), value: .bytes(KeptGroup(channels: channels).encoded()))
    }

    package func save(access entries: [AccessEntry], removing removed: [AccessEntry.Key], application: String) async throws {
        let keyset = Identifier(application)
        try await wait(for: emit { state in (nil, writes(entries, removing: removed, of: keyset, &state)) })
    }

    /// The writes for access manager entries.
    ///
    /// - Parameter state: assigns positions to entries that are stored for the first time.
    func writes(
        _ entries: [AccessEntry], removing removed: [AccessEntry.Key], of keyset: Identifier, _ state: inout State
    ) -> [StoreWrite] {
        var writes = state.keysets[keyset, default: RedisKeysetWriter()].list(keyset, keys)
        for entry in entries {
            state.accessOrder = max(state.accessOrder + 1, now())
            let field = Self.field(entry.key)
            writes.append(
                .putIfAbsent(
                    keys.accessOrder(keyset), StoreField(field, .text(RedisMessageField.digits(of: state.accessOrder)))))
            writes.append(.put(keys.access(keyset), field, value: .bytes(entry.encoded())))
        }
        for key in removed {
            let field = Self.field(key)
            writes.append(.removeFields(keys.accessOrder(keyset), [field]))
            writes.append(.removeFields(keys.access(keyset), [field]))
        }
        return writes
    }

    private static func field(_ key: AccessEntry.Key) -> StoreWord {
        .bytes(key.encoded(.sequence))
    }

    /// The writes for changes of the users who are present on a keyset's channels.
    func writes(_ changes: [OccupancyChange], of keyset: Identifier) -> [StoreWrite] {
        var (present, absent): ([StoreField], [StoreWord]) = ([], [])
        for change in changes {
            switch change {
            case .present(let record):
                present.append(StoreField(Self.field(record.user, record.channel), .bytes(record.encoded())))
            case .absent(let user, let channel): absent.append(Self.field(user, channel))
            }
        }
        let key = keys.presence(keyset)
        return (present.isEmpty ? [] : [.put(key, present)]) + (absent.isEmpty ? [] : [.removeFields(key, absent)])
    }

    private static func field(_ user: Identifier, _ channel: Identifier) -> StoreWord {
        .bytes(PresenceName(user: user, channel: channel).encoded(.sequence))
    }

    // MARK: Redis beside a database

    /// Whether Redis has stored messages of a keyset, and was not emptied since then.
    func isKnown(_ keyset: Identifier) async throws -> Bool {
        try await reader.has(member: .text(keyset.text), in: keys.keysets)
    }

    /// Writes to Redis the recent messages that a former leader has stored in the database only.
    func keepRecent(_ messages: [StoredMessage], of keyset: Identifier) {
        let now = now()
        emit { [keys, settings] state in
            var writer = state.keysets.removeValue(forKey: keyset) ?? RedisKeysetWriter()
            defer { state.keysets[keyset] = writer }
            let writes = messages.flatMap {
                writer.writes(for: $0, $0.encoded(), with: nil, of: keyset, keys, settings, at: now)
            }
            return (nil, writes)
        }
    }

    /// Removes messages from the stream of recent messages.
    func removeRecent(_ timetokens: [UInt64], of keyset: Identifier) async throws {
        var left = timetokens[...]
        while !left.isEmpty {
            let piece = left.prefix(Self.deletionStep)
            left = left.dropFirst(piece.count)
            try await perform([.removeEntries(keys.recent(keyset), Array(piece))])
        }
    }

    /// Writes to Redis the file records that only the database has, so that nodes find them. The contents of these files then do not
    /// expire.
    func keepFiles(_ records: [KeysetRecord], of keyset: Identifier) async throws {
        let files = records.filter { $0.key.kind == .file }
        guard !files.isEmpty else { return }
        let known = Set(try await table(keys.records(keyset)).map { StoreWord.bytes($0.field) })
        let missing = files.filter { !known.contains(Self.field($0.key)) }
        if !missing.isEmpty { emit { _ in (nil, writes(missing.map { .put($0) }, of: keyset)) } }
    }

    // MARK: Deleting

    package func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        guard !actions.isEmpty else { return }
        let fields = actions.map { RedisMessageField(timetoken: $0.timetoken, channel: channel).word }
        try await perform([.removeFields(keys.actions(Identifier(application)), fields)])
    }

    package func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return 0 }
        let keyset = Identifier(application)
        var deleted = Set<UInt64>()
        let late = try await late(of: keyset).filter {
            $0.isStored && $0.channel == channel && span.lowest <= $0.timetoken && $0.timetoken <= span.highest
        }
        if !late.isEmpty {
            let fields = late.map { RedisMessageField(timetoken: $0.timetoken, channel: channel) }
            try await remove(fields, of: keyset, [.removeFields(keys.late(keyset), fields.map(\.word))])
            deleted.formUnion(late.map(\.timetoken))
        }
        // Only messages up to the newest stored one are deleted, so that messages that arrive during the deletion are kept.
        guard let newest = try await newest(of: keys.history(keyset, channel)) else { return deleted.count }
        let highest = min(span.highest, newest)
        var lowest = span.lowest
        var count = deleted.count
        while lowest <= highest {
            let found = try await timetokens(
                of: keys.history(keyset, channel), from: lowest, to: highest, limit: Self.deletionStep)
            guard let last = found.last else { break }
            try await remove(
                found.map { RedisMessageField(timetoken: $0, channel: channel) }, of: keyset,
                [.removeEntries(keys.history(keyset, channel), found), .removeEntries(keys.recent(keyset), found)])
            count += found.count { !deleted.contains($0) }
            guard found.count == Self.deletionStep else { break }
            lowest = last + 1
        }
        await removeEmptyHistories([channel], of: keyset)
        return count
    }

    /// Removes the streams of histories that have become empty, because Redis keeps empty streams (rule CB-7).
    ///
    /// A message that is added during the removal must not be deleted with its stream. Only this store writes to the stream. So a stream is
    /// removed only if it was found empty after all earlier writes were stored, and if no message was added since. If a removal fails, it
    /// is repeated the next time when messages of the channel are deleted or expire.
    func removeEmptyHistories(_ channels: Set<Identifier>, of keyset: Identifier) async {
        let watched = state.withLockedValue { $0.keysets[keyset, default: RedisKeysetWriter()].watch(channels) }
        let empty = try? await emptyHistories(among: Array(channels), of: keyset)
        emit { [keys] state in
            let untouched = state.keysets[keyset, default: RedisKeysetWriter()].endWatching(watched)
            let histories = (empty ?? []).filter { untouched.contains($0) }.map { keys.history(keyset, $0) }
            return (nil, histories.isEmpty ? [] : [.remove(histories)])
        }
    }

    private func emptyHistories(among channels: [Identifier], of keyset: Identifier) async throws -> [Identifier] {
        try await flush()
        let counts = try await reader.entryCounts(of: channels.map { keys.history(keyset, $0) })
        return zip(channels, counts).filter { $1 == 0 }.map(\.0)
    }

    /// Deletes up to a few hundred stored messages that have expired.
    ///
    /// - Returns: whether there may be more expired messages.
    func purge(_ keyset: Identifier) async throws -> Bool {
        let seconds = Int64(clamping: now() / TimetokenClock.ticksPerSecond)
        let due = try await reader.ranked(in: keys.expiring(keyset), to: seconds, limit: Self.deletionStep)
        let fields = due.compactMap { RedisMessageField(String(buffer: $0)) }
        guard !fields.isEmpty else { return false }
        try await remove(
            fields, of: keyset,
            fields.map { .removeEntries(keys.history(keyset, $0.channel), [$0.timetoken]) } + [
                .removeRanked(keys.expiring(keyset), fields.map(\.word))
            ])
        await removeEmptyHistories(Set(fields.map(\.channel)), of: keyset)
        return fields.count == Self.deletionStep
    }

    private static var deletionStep: Int { 500 }
}
