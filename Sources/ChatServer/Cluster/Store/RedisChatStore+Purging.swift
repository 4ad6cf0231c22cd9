import Identifiers
import RedisClient
import ServerCluster

extension RedisChatStore {
    /// The number of streams that are read at the same time.
    private static let streams = 50

    package func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        guard beginPurging() else { return }
        defer { endPurging() }
        try await settle()
        let history = min(history, inbox)
        var names: Set<Identifier> = []
        try await scan(keys.applications) { page in
            for (field, _) in page { names.insert(try Self.name(field)) }
        }
        for name in names {
            try await scan(keys.key(.places, name)) { page in
                let users = try page.map { try Self.name($0.field) }
                try await trim(users) { try await self.trimInbox(of: $0, name, before: inbox) }
            }
            try await scan(keys.key(.conversations, name)) { page in
                let conversations = try page.map { try Self.name($0.field) }
                try await trim(conversations) { try await self.trimHistory($0, name, before: history) }
            }
            try await removeParts(of: name, inbox: inbox, history: history)
        }
        try await settle()
    }

    /// The next step of trimming a stream.
    private enum Trimming: Sendable {
        case trim(RedisCommand)
        /// Remove the key, because no entries remain.
        case remove(RedisArgument, with: [RedisCommand])
    }

    private func trim(_ names: [Identifier], _ look: @escaping @Sendable (Identifier) async throws -> Trimming?) async throws {
        var rest = names[...]
        while !rest.isEmpty {
            watch()
            // Entries that were added earlier have to be stored before the streams are read.
            try await settle()
            let found = try await withThrowingTaskGroup(of: Trimming?.self) { group in
                for name in rest.prefix(Self.streams) { group.addTask { try await look(name) } }
                return try await group.reduce(into: [Trimming]()) { if let trimming = $1 { $0.append(trimming) } }
            }
            rest = rest.dropFirst(Self.streams)
            var commands: [RedisCommand] = []
            var removals: [RedisArgument: [RedisCommand]] = [:]
            for trimming in found {
                switch trimming {
                case .trim(let command): commands.append(command)
                case .remove(let stream, let others): removals[stream] = [RedisCommand("UNLINK", stream)] + others
                }
            }
            emitRemovals(removals)
            if !commands.isEmpty { emit(commands) }
            // Waits between two steps, so that other writes are not delayed.
            try await settle()
        }
    }

    /// Within an inbox events are in the order of their ids. An inbox without entries is removed; its positions continue later.
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
        return kept.map { .trim(RedisCommand("XTRIM", key, "MINID", ChatKeys.entry($0))) }
    }

    private func trimHistory(
        _ conversation: Identifier, _ application: Identifier, before floor: UInt64
    ) async throws -> Trimming? {
        let key = keys.history(conversation, application)
        let listing = RedisCommand("HDEL", keys.key(.conversations, application), .text(conversation.text))
        guard floor > 0 else { return nil }
        guard let newest = try await read("XREVRANGE", key, "+", "-", "COUNT", 1).elements?.first?.elements?.first,
            let last = ChatKeys.number(newest), last >= floor
        else { return .remove(key, with: [listing]) }
        guard let oldest = try await read("XRANGE", key, "-", "+", "COUNT", 1).elements?.first?.elements?.first,
            let id = ChatKeys.number(oldest), id < floor
        else { return nil }
        return .trim(RedisCommand("XTRIM", key, "MINID", ChatKeys.entry(floor)))
    }

    /// Removes remaining data of old events, hour by hour.
    private func removeParts(of application: Identifier, inbox: UInt64, history: UInt64) async throws {
        var old: [(part: ChatKeys.Part, hour: UInt64, field: RedisValue)] = []
        try await scan(keys.key(.parts, application)) { page in
            for (field, _) in page {
                guard let text = field.text, let part = ChatKeys.Part(rawValue: String(text.prefix(1))),
                    let hour = UInt64(text.dropFirst()), hour < .max / ChatKeys.span - 1
                else { continue }
                if (hour + 1) * ChatKeys.span <= (part == .loose ? inbox : history) { old.append((part, hour, field)) }
            }
        }
        for (part, hour, field) in old {
            var commands = [RedisCommand("UNLINK", keys.part(part, hour, application))]
            if part == .history {
                commands.append(RedisCommand("UNLINK", keys.part(.hidden, hour, application)))
                try await scan(keys.part(.receipted, hour, application)) { page in
                    let ids = page.compactMap { $0.field.text.flatMap { UInt64($0) } }
                    guard !ids.isEmpty else { return }
                    emit([RedisCommand("UNLINK", ids.map { keys.receipts($0, application) })])
                }
                commands.append(RedisCommand("UNLINK", keys.part(.receipted, hour, application)))
            }
            if part == .hiddenUpTo { try await removeHides(of: hour, application) }
            commands.append(RedisCommand("HDEL", keys.key(.parts, application), .text(field.text ?? "")))
            emit(commands)
            try await settle()
        }
    }

    /// Removes the marks of conversations that users have hidden up to messages of this hour, because all of these messages are
    /// removed. Later marks stay.
    private func removeHides(of hour: UInt64, _ application: Identifier) async throws {
        try await scan(keys.part(.hiddenUpTo, hour, application)) { page in
            var commands: [RedisCommand] = []
            for (field, value) in page {
                guard let id = field.text?.prefix(while: { $0 != "\u{1F}" }), let names = value.bytes else { continue }
                let hide = try ChatHide(decoding: names)
                commands.append(
                    RedisCommand("SREM", keys.hiddenUpTo(hide.user, hide.conversation, application), .text(String(id))))
            }
            if !commands.isEmpty { emit(commands) }
        }
    }
}
