import ChatProtocol
import GRDB

/// Searches run concurrently with the writer and never delay it. Rules CD-30 to CD-37 define which messages match a keyword.
extension ChatDatabase {
    /// Messages of a channel that contain a keyword, newest first.
    /// - Parameters:
    ///   - keyword: words separated by spaces. A message must contain all of them; the last word may be the beginning of a longer word.
    ///     A keyword without a word matches no message.
    ///   - types: the types of messages to search; empty for all.
    ///   - time: the time range of the messages in ms, both ends included; nil for all.
    ///   - place: the end of the previous page; nil for the first page.
    public func search(
        _ keyword: String, in channel: ChatChannel, types: [String] = [], sender: String? = nil,
        time: ClosedRange<Int64>? = nil, from place: SearchPlace? = nil, limit: Int = 20
    ) throws(ChatDatabaseError) -> SearchPage {
        try read { database in
            guard let expression = Words.expression(keyword), let state = try ChannelState.fetch(channel, database), limit > 0,
                state.number <= WordKey.lastChannel
            else { return SearchPage(messages: [], next: nil) }
            let low = min(max(time?.lowerBound ?? 0, 0), WordKey.lastSlot)
            // The index orders messages by slot: the millisecond at which a message was sent, or a later millisecond if another message
            // already has that slot. So the upper bound is raised by the channel's largest difference between slot and time.
            let high = min((time?.upperBound ?? WordKey.lastSlot).addingClamped(state.drift), WordKey.lastSlot)
            let first = WordKey.key(state.number, low)
            let last = min(place.map { $0.key - 1 } ?? .max, WordKey.key(state.number, max(high, 0)))
            guard first <= last else { return SearchPage(messages: [], next: nil) }
            var condition = "f.message_text MATCH ? AND f.rowid BETWEEN ? AND ?"
            var arguments: StatementArguments = [expression, first, last]
            if let time {
                condition += " AND m.sent_time BETWEEN ? AND ?"
                arguments += [time.lowerBound, time.upperBound]
            }
            if let sender {
                condition += " AND s.text = ?"
                arguments += [sender]
            }
            if !types.isEmpty {
                condition += " AND t.text IN (\(types.map { _ in "?" }.joined(separator: ",")))"
                arguments += StatementArguments(types)
            }
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(MessageColumns.columns), f.rowid FROM message_text f
                    CROSS JOIN message m ON m.channel = f.rowid >> \(WordKey.slotBits) AND m.slot = f.rowid & \(WordKey.lastSlot)
                    \(MessageColumns.joins) WHERE \(condition) ORDER BY f.rowid DESC LIMIT ?
                    """)
            let rows = try Row.fetchAll(statement, arguments: arguments + [limit])
            let next = rows.count < limit ? nil : rows.last.map { SearchPlace(key: $0[MessageColumns.columnCount]) }
            return SearchPage(messages: rows.map(MessageColumns.message(of:)), next: next)
        }
    }

    /// Messages of a user in a channel, newest first.
    public func messages(
        of sender: String, in channel: ChatChannel, before place: LocalPlace = .latest, limit: Int = 20
    ) throws(ChatDatabaseError) -> [LocalMessage] {
        try read { database in
            guard let state = try ChannelState.fetch(channel, database) else { return [] }
            let reader = HistoryReader(database: database, channel: state.number)
            return try reader.rows(of: sender, from: reader.bound(of: place), limit: max(0, limit)).map(\.message)
        }
    }

    /// Messages of a channel that were sent in a time range (ms, both ends included), newest first.
    public func messages(
        in channel: ChatChannel, time: ClosedRange<Int64>, types: [String] = [], before place: LocalPlace = .latest,
        limit: Int = 20
    ) throws(ChatDatabaseError) -> [LocalMessage] {
        try read { database in
            guard let state = try ChannelState.fetch(channel, database) else { return [] }
            let reader = HistoryReader(database: database, channel: state.number)
            let end = Position.end(of: time.upperBound)
            let rows = try reader.rows(
                from: min(reader.bound(of: place), end), isAscending: false, types: types, limit: max(0, limit))
            let start = Position.start(of: time.lowerBound)
            return rows.prefix { $0.position >= start }.map(\.message)
        }
    }

    /// The channels with messages that contain a keyword, each with its number of such messages, sorted by the latest operation.
    public func searchChannels(
        _ keyword: String, _ conversations: [ChatConversationKind], types: [String] = []
    ) throws(ChatDatabaseError) -> [FoundChannel] {
        try read { database in
            guard let expression = Words.expression(keyword) else { return [] }
            let counts =
                try types.isEmpty
                ? WordCounts.count(expression, isStreamed: Words.isStreamed(keyword), database)
                : WordCounts.count(expression, types: types, database)
            let found = try counts.compactMap { number, count -> FoundChannel? in
                guard let channel = try Self.fetch("WHERE number = ?", [number], in: database).first,
                    conversations.contains(channel.channel.conversation)
                else { return nil }
                return FoundChannel(channel: channel, count: count)
            }
            return found.sorted {
                ($0.channel.operationTime, $0.channel.channel.id) > ($1.channel.operationTime, $1.channel.channel.id)
            }
        }
    }
}

/// Counts, for each channel, the messages that a search finds.
enum WordCounts {
    /// Counts the messages that match a full-text expression, by channel. Their keys in the index are sorted by channel.
    static func count(
        _ expression: String, isStreamed: Bool, _ database: Database
    ) throws -> [(number: Int64, count: Int)] {
        if isStreamed { return try countByChannels(expression, database) }
        let statement = try database.cachedStatement(
            sql: "SELECT rowid FROM message_text WHERE message_text MATCH ? ORDER BY rowid")
        return try count(Int64.fetchCursor(statement, arguments: [expression]))
    }

    /// Counts the matching messages of each channel by reading their index keys, `glance` keys at a time. When such a group ends in the
    /// middle of a channel, one query counts the rest of the channel, without reading each key.
    private static func countByChannels(
        _ expression: String, _ database: Database
    ) throws -> [(number: Int64, count: Int)] {
        let look = try database.cachedStatement(
            sql: "SELECT rowid FROM message_text WHERE message_text MATCH ? AND rowid >= ? ORDER BY rowid LIMIT \(glance)")
        let total = try database.cachedStatement(
            sql: "SELECT count(*) FROM message_text WHERE message_text MATCH ? AND rowid BETWEEN ? AND ?")
        var counts: [(number: Int64, count: Int)] = []
        var start: Int64 = 0
        while true {
            let keys = try Int64.fetchAll(look, arguments: [expression, start])
            for key in keys {
                let number = WordKey.channel(key)
                if counts.last?.number == number {
                    // in bounds: `counts` is not empty, because its last element was compared just before.
                    counts[counts.count - 1].count += 1
                } else {
                    counts.append((number, 1))
                }
            }
            guard keys.count == glance, let last = keys.last else { return counts }
            let end = WordKey.key(WordKey.channel(last), WordKey.lastSlot)
            let rest = try Int.fetchOne(total, arguments: [expression, last + 1, end]) ?? 0
            // in bounds: at least one key was read, and each key has added or raised an element of `counts`.
            counts[counts.count - 1].count += rest
            start = end + 1
        }
    }

    /// The number of index keys that are read at a time. Reading 64 keys takes about as long as one more query.
    private static let glance = 64

    static func count(_ expression: String, types: [String], _ database: Database) throws -> [(number: Int64, count: Int)] {
        let marks = types.map { _ in "?" }.joined(separator: ",")
        let statement = try database.cachedStatement(
            sql: """
                SELECT f.rowid FROM message_text f
                CROSS JOIN message m ON m.channel = f.rowid >> \(WordKey.slotBits) AND m.slot = f.rowid & \(WordKey.lastSlot)
                WHERE f.message_text MATCH ? AND m.type IN (SELECT number FROM name WHERE text IN (\(marks))) ORDER BY f.rowid
                """)
        return try count(Int64.fetchCursor(statement, arguments: [expression] + StatementArguments(types)))
    }

    private static func count(_ keys: some Cursor<Int64>) throws -> [(number: Int64, count: Int)] {
        var counts: [(number: Int64, count: Int)] = []
        var number: Int64 = -1
        var count = 0
        while let key = try keys.next() {
            if WordKey.channel(key) == number {
                count += 1
                continue
            }
            if count > 0 { counts.append((number, count)) }
            number = WordKey.channel(key)
            count = 1
        }
        if count > 0 { counts.append((number, count)) }
        return counts
    }
}

extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
