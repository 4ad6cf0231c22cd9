import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// The counts of the messages in the histories of one application (rule CC-43).
struct CountedChat: Sendable {
    var entries: CountedEntries
    /// The ids of messages that were rewritten or recalled since they were counted. The store has these ids, too.
    var changed: Set<UInt64> = []

    /// Counts the messages that a commit adds, and records the ids of the messages that the commit changes. Returns the writes that store
    /// the counts and the ids.
    mutating func count(_ commit: ChatCommit, of application: Identifier, keys: ChatKeys) -> [StoreWrite] {
        let added = commit.additions.compactMap { addition in
            addition.event.conversation.map { conversation in
                RedisChatStore.CountedMessage(
                    id: addition.event.id, conversation: conversation, bytes: addition.event.body.count
                ).entry
            }
        }
        let ids = commit.rewrites.map(\.id) + commit.recalls
        changed.formUnion(ids)
        let note = ids.map { StoreField(ChatKeys.head($0), "") }
        return entries.add(added, keys.counted(application)) + (note.isEmpty ? [] : [.put(keys.key(.changed, application), note)])
    }
}

// Counts the messages in the histories of applications.
extension RedisChatStore {
    /// A counted message. Its field in the store is named by the id with leading zeros, and contains the message's bytes and conversation.
    struct CountedMessage: Hashable, Sendable {
        var id: UInt64
        var conversation: Identifier
        var bytes: Int

        static func word(_ id: UInt64) -> StoreWord {
            let text = String(id)
            return .text(String(repeating: "0", count: max(0, 20 - text.utf8.count)) + text)
        }

        var entry: CountedEntries.Entry {
            CountedEntries.Entry(
                Self.word(id), second: Int64(clamping: id / TimetokenClock.ticksPerSecond),
                value: .text("\(bytes) \(conversation.text)"), bytes: bytes)
        }
    }

    /// The stored counts of messages, in the order of `ids`; nil for a message that is not counted.
    func countedMessages(_ ids: [UInt64], _ application: Identifier) async throws -> [CountedMessage?] {
        guard !ids.isEmpty else { return [] }
        let values = try await reader.fields(ids.map { CountedMessage.word($0) }, of: keys.counted(application).sizes)
        return zip(ids, values).map { id, value in
            guard let value else { return nil }
            let text = String(buffer: value)
            let size = text.utf8.prefix { $0 != UInt8(ascii: " ") }
            let conversation = String(decoding: text.utf8.dropFirst(size.count + 1), as: UTF8.self)
            return CountedMessage(
                id: id, conversation: Identifier(conversation), bytes: max(Int(String(decoding: size, as: UTF8.self)) ?? 0, 0))
        }
    }

    // MARK: Beginning and ending the count

    /// Counts the application's stored messages, unless they were counted already. Messages that are added after the start of this call are
    /// counted, too.
    func count(_ application: Identifier) async throws {
        guard counted(application)?.entries.isWhole != true else { return }
        let place = keys.counted(application)
        try await counting.run(application) {
            emitCounting(application) { [keys, term] counted in
                counted = CountedChat(entries: CountedEntries(term))
                return place.removal + [
                    .remove(keys.key(.changed, application)), .put(keys.applications, .text(application.text), value: ""),
                ]
            }
            try await settle()
        }
        try await scan(keys.key(.conversations, application)) { page in
            for field in page {
                try Task.checkCancellation()
                try await count(historyOf: Self.name(field), application)
            }
        }
        emitCounting(application) { $0?.entries.finish(place) ?? [] }
        try await settle()
    }

    /// Stops counting the messages of an application that no longer limits the messages and bytes of its histories.
    func stopCounting(_ application: Identifier) {
        guard counted(application) != nil else { return }
        emitCounting(application) { [keys] counted in
            counted = nil
            return keys.counted(application).removal + [.remove(keys.key(.changed, application))]
        }
    }

    private static var countedStep: Int { 100 }

    private func count(historyOf conversation: Identifier, _ application: Identifier) async throws {
        var next: UInt64 = 0
        while true {
            let first = next
            let ids = try await counting.run(application) {
                let ids = try await reader.entries(
                    of: keys.history(conversation, application), from: first, limit: Self.countedStep
                ).map(\.number)
                let known = try await countedMessages(ids, application)
                let new = zip(ids, known).filter { $0.1 == nil }.map(\.0)
                let sizes = try await sizes(of: new, application)
                let entries = zip(new, sizes).compactMap { id, bytes in
                    bytes.map { CountedMessage(id: id, conversation: conversation, bytes: $0).entry }
                }
                if !entries.isEmpty {
                    emitCounting(application) { [keys] in $0?.entries.add(entries, keys.counted(application)) ?? [] }
                    try await settle()
                }
                return ids
            }
            guard ids.count == Self.countedStep, let last = ids.last, last < .max else { return }
            next = last + 1
        }
    }

    /// The sizes of messages in bytes; nil for a message that was recalled or has no body.
    func sizes(of ids: [UInt64], _ application: Identifier) async throws -> [Int?] {
        let found = try await fields(
            ids.flatMap { id in
                let part = keys.part(.history, hour: ChatKeys.hour(id), of: application)
                return [(part, ChatKeys.body(id)), (part, ChatKeys.recalled(id))]
            })
        return ids.indices.map { index in
            // in bounds: `found` has two fields for each id.
            found[2 * index + 1] == nil ? found[2 * index]?.readableBytes : nil
        }
    }

    // MARK: Changes

    /// Updates the counts of messages that were rewritten or recalled until now, at most 500 at a time.
    func countChanged(_ application: Identifier) async throws {
        var left = counted(application)?.changed.count ?? 0
        while left > 0 {
            try Task.checkCancellation()
            let count = min(left, 500)
            left -= count
            try await counting.run(application) { try await countChanged(application, count) }
        }
    }

    private func countChanged(_ application: Identifier, _ limit: Int) async throws {
        let ids = takeChanged(application, limit: limit)
        guard !ids.isEmpty else { return }
        do {
            try await settle()
            let known = try await countedMessages(ids, application)
            let sizes = try await sizes(of: ids, application)
            var gone: [(word: StoreWord, bytes: Int?)] = []
            var changed: [(entry: CountedEntries.Entry, before: Int)] = []
            for (message, bytes) in zip(known, sizes) {
                guard var message, message.bytes != bytes else { continue }
                let before = message.bytes
                guard let bytes else {
                    gone.append((CountedMessage.word(message.id), before))
                    continue
                }
                message.bytes = bytes
                changed.append((message.entry, before))
            }
            let (removed, rewritten) = (gone, changed)
            emitCounting(application) { [keys] counted in
                let place = keys.counted(application)
                // A message that changed again during this update stays recorded for the next update.
                let done = ids.filter { counted?.changed.contains($0) == false }.map { ChatKeys.head($0) }
                let writes = (counted?.entries.remove(removed, place) ?? []) + (counted?.entries.change(rewritten, place) ?? [])
                return writes + (done.isEmpty ? [] : [.removeFields(keys.key(.changed, application), done)])
            }
            try await settle()
        } catch {
            noteChanged(ids, application)
            throw error
        }
    }

    // MARK: Restoring

    /// Restores the numbers of messages and bytes that the previous leader has counted.
    func restoreCounted(_ application: Identifier) async throws {
        let place = keys.counted(application)
        guard let entries = try await reader.text(of: place.totals).flatMap({ CountedEntries(stored: $0, term) }) else { return }
        // After a loss of data the totals may be wrong, so they are removed and the messages are counted anew.
        guard !hasLost else { return output.write(place.removal, of: .chat) }
        var counted = CountedChat(entries: entries)
        for name in try await reader.fieldNames(of: keys.key(.changed, application)) {
            if let id = UInt64(String(buffer: name)) { counted.changed.insert(id) }
        }
        restore(counted, application)
        emitCounting(application) { $0?.entries.taken(over: place) ?? [] }
    }
}
