import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// Counts the messages in a keyset's histories, for the limits of their number and bytes (rule CB-60).
extension RedisMessageStore {
    /// Removes messages from histories, and reduces the counts by those of the messages that were counted.
    ///
    /// - Parameter writes: the writes that remove the messages themselves.
    func remove(_ messages: [RedisMessageField], of keyset: Identifier, _ writes: [StoreWrite]) async throws {
        try await counting.run(keyset) {
            let sizes: [Int?] = isCounting(keyset) ? try await sizes(of: messages, keyset) : messages.map { _ in nil }
            try await wait(for: emitRemoval(of: zip(messages, sizes).map { (field: $0, bytes: $1) }, keyset, writes))
        }
    }

    func emitRemoval(
        of messages: [(field: RedisMessageField, bytes: Int?)], _ keyset: Identifier, _ writes: [StoreWrite]
    ) -> UInt64? {
        let words = messages.map { (word: $0.field.word, bytes: $0.bytes) }
        return emit { [keys] state in
            (nil, writes + (state.keysets[keyset]?.counted?.remove(words, keys.counted(keyset)) ?? []))
        }
    }

    /// The sizes in bytes of counted messages; nil for a message that is not counted.
    func sizes(of messages: [RedisMessageField], _ keyset: Identifier) async throws -> [Int?] {
        guard !messages.isEmpty else { return [] }
        return try await reader.fields(messages.map(\.word), of: keys.counted(keyset).sizes).map { value in
            value.map { max(Int(String(buffer: $0)) ?? 0, 0) }
        }
    }

    private func isCounting(_ keyset: Identifier) -> Bool { counted(keyset) != nil }

    func counted(_ keyset: Identifier) -> CountedEntries? { state.withLockedValue { $0.keysets[keyset]?.counted } }

    // MARK: Starting and stopping to count

    /// Starts to count the messages of a keyset, unless they are already being counted. This call counts the stored messages. Messages that
    /// arrive after its beginning are counted when they are written.
    func count(_ keyset: Identifier) async throws {
        guard counted(keyset)?.isWhole != true else { return }
        try await counting.run(keyset) {
            try await wait(
                for: emit { [keys, term] state in
                    var writer = state.keysets.removeValue(forKey: keyset) ?? RedisKeysetWriter()
                    defer { state.keysets[keyset] = writer }
                    writer.counted = CountedEntries(term)
                    return (nil, writer.list(keyset, keys) + keys.counted(keyset).removal)
                })
        }
        // The histories are found by scanning the key names, because Redis has no list of them.
        let prefix = keys.histories
        var cursor: String?
        repeat {
            try Task.checkCancellation()
            let (names, next) = try await reader.keys(beginningWith: prefix, after: cursor, count: 1_000)
            for name in names {
                let rest = String(decoding: name.name.utf8.dropFirst(prefix.name.utf8.count), as: UTF8.self)
                guard let place = RedisStreamKeys.history(rest), place.keyset == keyset else { continue }
                try await count(historyOf: place.channel, keyset)
            }
            cursor = next
        } while cursor != nil
        try await counting.run(keyset) {
            var late = try await readLate(of: keyset).filter(\.isStored)[...]
            while !late.isEmpty {
                let piece = Array(late.prefix(Self.countedStep))
                late = late.dropFirst(piece.count)
                try await count(piece, keyset)
            }
            try await wait(
                for: emit { [keys] state in (nil, state.keysets[keyset]?.counted?.finish(keys.counted(keyset)) ?? []) })
        }
    }

    /// Stops counting the messages of a keyset that has no limits any more.
    func stopCounting(_ keyset: Identifier) {
        guard isCounting(keyset) else { return }
        emit { [keys] state in
            state.keysets[keyset]?.counted = nil
            return (nil, keys.counted(keyset).removal)
        }
    }

    private static var countedStep: Int { 100 }

    private func count(historyOf channel: Identifier, _ keyset: Identifier) async throws {
        var lowest: UInt64 = 0
        while true {
            let first = lowest
            let page = try await counting.run(keyset) {
                let page = try await messages(
                    of: keys.history(keyset, channel), from: first, to: UInt64(Int64.max), isOldestFirst: true,
                    limit: Self.countedStep)
                try await count(page, keyset)
                return page
            }
            guard page.count == Self.countedStep, let last = page.last?.timetoken, last >= lowest, last < UInt64(Int64.max) else {
                return
            }
            lowest = last + 1
        }
    }

    /// Counts messages that are not counted yet. A message and its stored size are written and removed together, so no message is counted
    /// twice.
    private func count(_ messages: [StoredMessage], _ keyset: Identifier) async throws {
        let fields = messages.map { RedisMessageField(timetoken: $0.timetoken, channel: $0.channel) }
        let known = try await sizes(of: fields, keyset)
        let new = zip(messages, known).filter { $0.1 == nil }.map { CountedEntries.Entry($0.0) }
        guard !new.isEmpty else { return }
        try await wait(
            for: emit { [keys] state in (nil, state.keysets[keyset]?.counted?.add(new, keys.counted(keyset)) ?? []) })
    }
}

extension CountedEntries.Entry {
    init(_ message: StoredMessage) {
        self.init(
            RedisMessageField(timetoken: message.timetoken, channel: message.channel).word,
            second: Int64(clamping: message.timetoken / TimetokenClock.ticksPerSecond), value: .text("\(message.contentBytes)"),
            bytes: message.contentBytes)
    }
}
