import Identifiers
import NIOCore
import ServerCluster
import ServerStorage
import WireCoding

extension RedisChatStore {
    /// The largest number of entries that one read of the store returns.
    private static let step = 128

    // MARK: Inboxes

    package func inbox(
        of user: Identifier, after sequence: UInt64, limit: Int, application: String
    ) async throws -> [ChatInboxEntry] {
        guard limit > 0, sequence < .max else { return [] }
        try await settle()
        let application = Identifier(application)
        var page: [ChatInboxEntry] = []
        var next = sequence + 1
        while page.count < limit {
            let count = min(limit - page.count, Self.step)
            let entries = try await places(keys.inbox(user, application), from: next, count)
            let bodies = try await bodies(entries.map { ($0.part, $0.event) }, application)
            for (entry, body) in zip(entries, bodies) {
                if let body { page.append(ChatInboxEntry(sequence: entry.sequence, body: Array(body.readableBytesView))) }
            }
            guard entries.count == count, let last = entries.last?.sequence, last < .max else { break }
            next = last + 1
        }
        return page
    }

    struct Place: Sendable {
        var sequence: UInt64
        var part: ChatKeys.Part
        var event: UInt64
    }

    /// Entries of an inbox, oldest first.
    func places(_ inbox: StoreKey, from first: UInt64, _ count: Int) async throws -> [Place] {
        try await reader.entries(of: inbox, from: first, limit: count).map { entry in
            guard let field = entry.fields.first, entry.fields.count == 1,
                let family = ChatKeys.Part(rawValue: String(buffer: field.name)), let event = UInt64(String(buffer: field.value))
            else { throw Problem.damaged }
            return Place(sequence: entry.number, part: family, event: event)
        }
    }

    private func bodies(_ events: [(part: ChatKeys.Part, id: UInt64)], _ application: Identifier) async throws -> [ByteBuffer?] {
        try await fields(events.map { (keys.part($0.part, hour: ChatKeys.hour($0.id), of: application), ChatKeys.body($0.id)) })
    }

    /// Reads fields of maps, and returns them in the order of `wanted`. It sends one read for each map, all at the same time.
    func fields(_ wanted: [(map: StoreKey, field: StoreWord)]) async throws -> [ByteBuffer?] {
        var places: [StoreKey: [Int]] = [:]
        for (index, place) in wanted.enumerated() { places[place.map, default: []].append(index) }
        return try await withThrowingTaskGroup(of: ([Int], [ByteBuffer?]).self) { group in
            for (map, indices) in places {
                let names = indices.map { wanted[$0].field }
                group.addTask { [reader] in (indices, try await reader.fields(names, of: map)) }
            }
            var found = [ByteBuffer?](repeating: nil, count: wanted.count)
            for try await (indices, values) in group {
                for (index, value) in zip(indices, values) { found[index] = value }
            }
            return found
        }
    }

    // MARK: Histories

    package func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        guard query.limit > 0 else { return [] }
        try await settle()
        let application = Identifier(application)
        var lower = query.after ?? 0
        if let viewer = query.viewer { lower = max(lower, try await hidden(query.conversation, by: viewer, application)) }
        var upper = query.before ?? .max
        var page: [ChatEvent] = []
        while page.count < query.limit, lower < .max, upper > 0, lower + 1 < upper {
            let count = min(query.limit - page.count, Self.step)
            let ids = try await ids(
                of: keys.history(query.conversation, application), from: lower + 1, to: upper - 1,
                isOldestFirst: query.isOldestFirst, limit: count)
            page += try await events(ids, query.conversation, viewer: query.viewer, application)
            guard ids.count == count, let last = ids.last else { break }
            if query.isOldestFirst { lower = last } else { upper = last }
        }
        return page
    }

    /// The message ids in a history from `first` to `last`, both included.
    func ids(
        of history: StoreKey, from first: UInt64, to last: UInt64, isOldestFirst: Bool, limit: Int
    ) async throws -> [UInt64] {
        try await reader.entries(of: history, from: first, to: last, isOldestFirst: isOldestFirst, limit: limit).map(\.number)
    }

    /// The id of the last message up to which a user has hidden a conversation; 0 for none.
    private func hidden(_ conversation: Identifier, by user: Identifier, _ application: Identifier) async throws -> UInt64 {
        let ids = try await reader.members(of: keys.hiddenUpTo(in: conversation, by: user, of: application))
        return ids.compactMap { UInt64(String(buffer: $0)) }.max() ?? 0
    }

    /// The messages with these ids, without those that were recalled or that `viewer` has hidden.
    private func events(
        _ ids: [UInt64], _ conversation: Identifier, viewer: Identifier?, _ application: Identifier
    ) async throws -> [ChatEvent] {
        var wanted: [(map: StoreKey, field: StoreWord)] = []
        for id in ids {
            let part = keys.part(.history, hour: ChatKeys.hour(id), of: application)
            wanted += [
                (part, ChatKeys.head(id)), (part, ChatKeys.body(id)), (part, ChatKeys.readers(id)), (part, ChatKeys.recalled(id)),
            ]
            if let viewer {
                wanted.append((keys.part(.hidden, hour: ChatKeys.hour(id), of: application), ChatKeys.hidden(id, viewer)))
            }
        }
        let width = viewer == nil ? 4 : 5
        let found = try await fields(wanted)
        var events: [ChatEvent] = []
        for (index, id) in ids.enumerated() {
            let fields = found[index * width..<(index + 1) * width]
            guard let head = fields[fields.startIndex], let body = fields[fields.startIndex + 1],
                fields.dropFirst(3).allSatisfy({ $0 == nil })
            else { continue }
            let values = try ChatEventHead(decoding: head)
            let event = ChatEvent(
                id: id, conversation: conversation, sender: values.sender, clientID: values.clientID,
                body: Array(body.readableBytesView), audience: values.audience,
                readers: try fields[fields.startIndex + 2].map { try ChatEventReaders(decoding: $0).users })
            if viewer.map({ event.isVisible(to: $0) }) ?? true { events.append(event) }
        }
        return events
    }

    package func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await settle()
        let application = Identifier(application)
        guard try await ids(of: keys.history(conversation, application), from: id, to: id, isOldestFirst: true, limit: 1) == [id]
        else { return nil }
        return try await events([id], conversation, viewer: nil, application).first
    }

    // MARK: Receipts

    package func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        try await settle()
        let application = Identifier(application)
        let marks = try await fields(
            ids.flatMap { id in
                let part = keys.part(.history, hour: ChatKeys.hour(id), of: application)
                return [(part, ChatKeys.head(id)), (part, ChatKeys.recalled(id))]
            })
        let there = ids.enumerated()
            .filter { marks.element(at: 2 * $0.offset) != .some(nil) && marks.element(at: 2 * $0.offset + 1) == .some(nil) }.map(
                \.element)
        return try await withThrowingTaskGroup(of: (UInt64, [ChatReceipt]).self) { group in
            for id in Set(there) {
                let map = keys.receipts(id, application)
                group.addTask { [reader] in (id, Self.receipts(try await reader.allFields(of: map))) }
            }
            var found: [UInt64: [ChatReceipt]] = [:]
            for try await (id, receipts) in group where !receipts.isEmpty { found[id] = receipts }
            return found
        }
    }

    private static func receipts(_ fields: [StoredField]) -> [ChatReceipt] {
        var receipts: [(order: UInt64, receipt: ChatReceipt)] = []
        for field in fields {
            let parts = String(buffer: field.value).split(separator: ":")
            guard parts.count == 2, let order = UInt64(parts[0]), let time = Int64(parts[1]) else { continue }
            receipts.append((order, ChatReceipt(user: name(field), time: time)))
        }
        return receipts.sorted { ($0.order, $0.receipt.time) < ($1.order, $1.receipt.time) }.map(\.receipt)
    }
}
