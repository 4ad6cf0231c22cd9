import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// Copies the stored data of one chat application to a sink. Events are copied before the rows that refer to them.
struct ChatApplicationCopy<Sink: RowSink>: Sendable {
    let store: RedisChatStore
    let application: Identifier
    let sink: Sink
    /// The application's key, as the value of the application's column in each copied row.
    let name: StoredValue
    var keys: ChatKeys { store.keys }

    typealias Tables = StoredTable.OfChat
    /// The largest number of entries that one read of the store returns.
    static var page: Int { 100 }
    /// The number of histories or inboxes that are read at the same time.
    private static var together: Int { 8 }

    init(of application: Identifier, from store: RedisChatStore, to sink: Sink) {
        self.store = store
        self.application = application
        self.sink = sink
        name = .text(application.text)
    }

    /// Copies all data of the application.
    ///
    /// - Returns: the number of events that were left out, because the sink has an event of another application with the same id.
    func run() async throws -> Int {
        let sends = try await RecentSends(store, application)
        var leftOut = 0
        try await store.scan(keys.key(.conversations, application)) { page in
            leftOut += try await each(page) { try await copyHistory($0, sends) }
        }
        leftOut += try await copyLooseEvents(sends)
        try await copyInboxes()
        try await copyMarks()
        try await copyDocuments()
        return leftOut
    }

    /// Calls a function for each field of a page, with the user or conversation after which the field is named. Up to ``together`` calls
    /// run at the same time.
    ///
    /// - Returns: the sum of the results.
    private func each(
        _ page: [StoredField], _ body: @escaping @Sendable (Identifier) async throws -> Int
    ) async throws -> Int {
        var sum = 0
        var left = page.map { RedisChatStore.name($0) }[...]
        while !left.isEmpty {
            let names = left.prefix(Self.together)
            left = left.dropFirst(names.count)
            sum += try await withThrowingTaskGroup(of: Int.self) { group in
                for name in names { group.addTask { try await body(name) } }
                return try await group.reduce(0, +)
            }
        }
        return sum
    }

    // MARK: Events

    /// Copies the messages of a conversation's history.
    ///
    /// - Returns: the number of messages that were left out, because the sink has an event of another application with the same id.
    private func copyHistory(_ conversation: Identifier, _ sends: RecentSends) async throws -> Int {
        var (first, leftOut) = (UInt64(0), 0)
        while true {
            let ids = try await store.ids(
                of: keys.history(conversation, application), from: first, to: .max, isOldestFirst: true, limit: Self.page)
            let found = try await store.fields(
                ids.flatMap { id in
                    let part = keys.part(.history, hour: ChatKeys.hour(id), of: application)
                    return [ChatKeys.head(id), ChatKeys.body(id), ChatKeys.readers(id), ChatKeys.recalled(id)].map { (part, $0) }
                })
            for (index, id) in ids.enumerated() {
                // in bounds: `found` has four fields for each id.
                let fields = Array(found[index * 4..<(index + 1) * 4])
                if try await !copy(id, fields, of: conversation, sends) { leftOut += 1 }
            }
            guard ids.count == Self.page, let last = ids.last, last >= first, last < .max else { return leftOut }
            first = last + 1
        }
    }

    /// Copies one message of a history.
    ///
    /// - Parameter fields: the message's head, body and readers, and the mark of a recalled message; nil for a missing field.
    /// - Returns: false when the message was left out.
    private func copy(
        _ id: UInt64, _ fields: [ByteBuffer?], of conversation: Identifier, _ sends: RecentSends
    ) async throws -> Bool {
        // The store has removed the head or the body of an expired message, so there is nothing to copy.
        guard fields.count == 4, let head = fields[0], let body = fields[1] else { return true }
        let values = try ChatEventHead(decoding: head)
        let send = values.clientID == nil ? nil : try await sends.send(id)
        let isCopied = try putEvent([
            .number(id), name, fields[3] == nil ? .text(conversation.text) : .null, .text(values.sender.text),
            values.clientID.map { .text($0.text) } ?? .null, send?.own.map { .number($0) } ?? .null,
            .integer(Int64(values.audience)), .bytes(Array(body.readableBytesView)),
        ])
        guard isCopied, let readers = try fields[2].map({ try ChatEventReaders(decoding: $0).users }) else {
            return isCopied
        }
        for reader in readers { try sink.put([.number(id), .text(reader.text)], into: Tables.reader) }
        return true
    }

    /// Copies the events that are in no history, only in inboxes. Redis has their bodies, and the senders of the last hour's messages.
    private func copyLooseEvents(_ sends: RecentSends) async throws -> Int {
        var leftOut = 0
        try await eachHour(of: .loose) { hour in
            try await store.scan(keys.part(.loose, hour: hour, of: application)) { page in
                for field in page {
                    let (text, body) = (String(buffer: field.name), field.value)
                    guard text.last == "b", let id = UInt64(text.dropLast()) else { throw RedisChatStore.Problem.damaged }
                    let send = try await sends.send(id)
                    let isCopied = try putEvent([
                        .number(id), name, .null, .text(send?.sender ?? ""), send.map { .text($0.clientID) } ?? .null,
                        send?.own.map { .number($0) } ?? .null, .integer(0), .bytes(Array(body.readableBytesView)),
                    ])
                    if !isCopied { leftOut += 1 }
                }
            }
        }
        return leftOut
    }

    /// Adds an event to the sink.
    ///
    /// - Returns: false when the sink has an event of another application with this id.
    private func putEvent(_ row: StoredRow) throws -> Bool {
        if let present = try sink.row(Array(row.prefix(1)), of: Tables.event), present[1] != name { return false }
        try sink.put(row, into: Tables.event)
        return true
    }

    /// Calls a function for each hour for which the store has a part of this kind.
    func eachHour(of part: ChatKeys.Part, _ body: (UInt64) async throws -> Void) async throws {
        var hours: Set<UInt64> = []
        try await store.scan(keys.key(.parts, application)) { page in
            for field in page {
                let text = String(buffer: field.name)
                guard text.hasPrefix(part.rawValue), let hour = UInt64(text.dropFirst()) else { continue }
                hours.insert(hour)
            }
        }
        for hour in hours.sorted() { try await body(hour) }
    }

    /// The copied event with this id; nil when the event has expired or was left out.
    func event(_ id: UInt64) throws -> StoredRow? {
        guard let row = try sink.row([.number(id)], of: Tables.event), row.count == Tables.event.columns.count, row[1] == name
        else {
            return nil
        }
        return row
    }

    // MARK: Inboxes

    private func copyInboxes() async throws {
        try await store.scan(keys.key(.places, application)) { page in
            for field in page { try await copyInbox(field, last: field.value, acknowledged: nil) }
            _ = try await each(page) { user in
                try await copyEntries(of: user)
                return 0
            }
        }
        try await store.scan(keys.key(.acknowledged, application)) { page in
            for field in page { try await copyInbox(field, last: nil, acknowledged: field.value) }
        }
    }

    /// Adds the last or the acknowledged position to the row of a user's inbox; a nil position leaves the row's value unchanged.
    private func copyInbox(_ user: StoredField, last: ByteBuffer?, acknowledged: ByteBuffer?) async throws {
        let key: StoredRow = [name, .text(RedisChatStore.name(user).text)]
        let present = try sink.row(key, of: Tables.inbox) ?? key + [.integer(0), .integer(0)]
        let row: StoredRow =
            key + [
                try last.map { .number(try RedisChatStore.number($0)) } ?? present[2],
                try acknowledged.map { .number(try RedisChatStore.number($0)) } ?? present[3],
            ]
        if row.dropFirst(2).contains(where: { $0 != .integer(0) }) { try sink.put(row, into: Tables.inbox) }
    }

    private func copyEntries(of user: Identifier) async throws {
        var next: UInt64 = 0
        while true {
            let places = try await store.places(keys.inbox(user, application), from: next, Self.page)
            for place in places where try event(place.event) != nil {
                try sink.put(
                    [name, .text(user.text), .number(place.sequence), .number(place.event)], into: Tables.inboxEntry)
            }
            guard places.count == Self.page, let last = places.last?.sequence, last >= next, last < .max else { return }
            next = last + 1
        }
    }
}
