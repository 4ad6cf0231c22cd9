import Identifiers
import NIOCore
import ServerCluster

extension RedisChatStore {
    /// The number of streams, that is, inboxes or histories, that are read at the same time.
    private static let streams = 50

    package func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        guard beginPurging() else { return }
        defer { endPurging() }
        try await settle()
        let history = min(history, inbox)
        var names: Set<Identifier> = []
        try await scan(keys.applications) { page in
            names.formUnion(page.map { Self.name($0) })
        }
        for name in names {
            try await uncount(name, before: history)
            try await scan(keys.key(.places, name)) { page in
                let users = page.map { Self.name($0) }
                try await trim(users) { try await self.trimInbox(of: $0, name, before: inbox) }
            }
            try await scan(keys.key(.conversations, name)) { page in
                let conversations = page.map { Self.name($0) }
                try await trim(conversations) { try await self.trimHistory($0, name, before: history) }
            }
            try await removeParts(of: name, inbox: inbox, history: history)
        }
        try await settle()
    }

    /// The next change of a stream, that is, of an inbox or a history from which a purge removes old entries.
    private enum Trimming: Sendable {
        case trim(StoreWrite)
        /// Removes the key of a stream without entries, and performs further writes.
        case remove(StoreKey, with: [StoreWrite])
    }

    private func trim(_ names: [Identifier], _ look: @escaping @Sendable (Identifier) async throws -> Trimming?) async throws {
        var rest = names[...]
        while !rest.isEmpty {
            watch()
            // The streams are read only after all entries that were added before this call have been stored.
            try await settle()
            let found = try await withThrowingTaskGroup(of: Trimming?.self) { group in
                for name in rest.prefix(Self.streams) { group.addTask { try await look(name) } }
                return try await group.reduce(into: [Trimming]()) { if let trimming = $1 { $0.append(trimming) } }
            }
            rest = rest.dropFirst(Self.streams)
            var trims: [StoreWrite] = []
            var removals: [StoreKey: [StoreWrite]] = [:]
            for trimming in found {
                switch trimming {
                case .trim(let write): trims.append(write)
                case .remove(let stream, let others): removals[stream] = [.remove(stream)] + others
                }
            }
            emitRemovals(removals)
            if !trims.isEmpty { emit(trims) }
            // After each group of streams the purge waits until the group's writes are stored, so that other writes can be made between two
            // groups.
            try await settle()
        }
    }

    /// The next step of trimming an inbox, whose events are in the order of their ids. An inbox without entries is removed; its later
    /// positions continue after the removed ones.
    private func trimInbox(of user: Identifier, _ application: Identifier, before floor: UInt64) async throws -> Trimming? {
        let key = keys.inbox(user, application)
        var kept: UInt64?
        var next: UInt64 = 0
        var count = 1
        while true {
            let places = try await places(key, from: next, count)
            if let first = places.first(where: { $0.event >= floor }) {
                if first.sequence != places.first?.sequence || kept != nil { kept = first.sequence }
                break
            }
            guard let last = places.last, last.sequence < .max else { return kept == nil ? nil : .remove(key, with: []) }
            (kept, next, count) = (last.sequence + 1, last.sequence + 1, 200)
        }
        return kept.map { .trim(.trim(key, before: $0, isExact: true)) }
    }

    private func trimHistory(
        _ conversation: Identifier, _ application: Identifier, before floor: UInt64
    ) async throws -> Trimming? {
        let key = keys.history(conversation, application)
        let listing = StoreWrite.removeFields(keys.key(.conversations, application), [.text(conversation.text)])
        guard floor > 0 else { return nil }
        guard let last = try await reader.entries(of: key, isOldestFirst: false, limit: 1).first?.number, last >= floor else {
            return .remove(key, with: [listing])
        }
        guard let first = try await reader.entries(of: key, limit: 1).first?.number, first < floor else { return nil }
        return .trim(.trim(key, before: floor, isExact: true))
    }

    /// Removes the remaining data of old events in whole parts, one for each hour.
    private func removeParts(of application: Identifier, inbox: UInt64, history: UInt64) async throws {
        var old: [(part: ChatKeys.Part, hour: UInt64, field: String)] = []
        try await scan(keys.key(.parts, application)) { page in
            for field in page {
                let text = String(buffer: field.name)
                guard let part = ChatKeys.Part(rawValue: String(text.prefix(1))), let hour = UInt64(text.dropFirst()),
                    hour < .max / ChatKeys.span - 1
                else { continue }
                if (hour + 1) * ChatKeys.span <= (part == .loose ? inbox : history) { old.append((part, hour, text)) }
            }
        }
        for (part, hour, field) in old {
            var writes = [StoreWrite.remove(keys.part(part, hour: hour, of: application))]
            if part == .history {
                writes.append(.remove(keys.part(.hidden, hour: hour, of: application)))
                try await scan(keys.part(.receipted, hour: hour, of: application)) { page in
                    let ids = page.compactMap { UInt64(String(buffer: $0.name)) }
                    guard !ids.isEmpty else { return }
                    emit([.remove(ids.map { keys.receipts($0, application) })])
                }
                writes.append(.remove(keys.part(.receipted, hour: hour, of: application)))
            }
            if part == .hiddenUpTo { try await removeHides(of: hour, application) }
            writes.append(.removeFields(keys.key(.parts, application), [.text(field)]))
            emit(writes)
            try await settle()
        }
    }

    /// Removes the marks of conversations that users have hidden up to messages of this hour, because all of these messages are being
    /// removed. Marks up to later messages stay.
    private func removeHides(of hour: UInt64, _ application: Identifier) async throws {
        try await scan(keys.part(.hiddenUpTo, hour: hour, of: application)) { page in
            let writes = try page.map { field -> StoreWrite in
                let id = String(buffer: field.name).prefix { $0 != "\u{1F}" }
                let hide = try ChatHide(decoding: field.value)
                return .removeMembers(keys.hiddenUpTo(in: hide.conversation, by: hide.user, of: application), [.text(String(id))])
            }
            if !writes.isEmpty { emit(writes) }
        }
    }
}
