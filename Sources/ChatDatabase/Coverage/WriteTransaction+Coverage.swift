import ChatProtocol
import GRDB

/// The parts of a channel's history that are stored completely (rules CD-20 to CD-24).
struct Coverage {
    /// The ranges of positions in which no message of the channel is missing. Pages of history prove ranges of this channel; the inbox
    /// proves ranges of all channels.
    var spans: SpanSet
    /// The position in the channel's history from which the inbox delivers every message; nil when the inbox proves nothing about this
    /// channel.
    var inboxFrom: Int64?

    /// Reads the coverage of a channel.
    ///
    /// - Parameters:
    ///   - number: the channel's number; nil for a channel that is not stored.
    ///   - isLive: whether the inbox is complete up to now. If not, it is complete up to the last received message (rule CD-27).
    static func fetch(
        _ channel: ChatChannel, _ number: Int64?, isLive: Bool = true, _ database: Database
    ) throws -> Coverage {
        let own = try spans(of: number ?? -1, database)
        var coverage = Coverage(spans: SpanSet(own))
        // The inbox does not contain messages of open channels (chat-protocol.md, section 8), so it covers nothing of their history.
        guard channel.conversation != .open else { return coverage }
        // Messages that were sent in a group before the user joined are in the group's history, but were never in the inbox. So the inbox
        // covers the history only from the time of joining on (rule CD-28).
        let joined = try number.flatMap {
            try Int64.fetchOne(
                database.cachedStatement(sql: "SELECT position FROM joined WHERE channel = ?"), arguments: [$0])
        }
        for span in try spans(of: 0, database) where span.upperBound >= joined ?? .min {
            coverage.spans.insert(max(span.lowerBound, joined ?? .min)...span.upperBound)
        }
        let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT inbox_from, inbox_last FROM state"))
        guard let row, let began: Int64 = row[0] else { return coverage }
        let from = max(began, joined ?? .min)
        let end: Int64 = isLive ? .max : row[1]
        coverage.inboxFrom = from
        if from <= end { coverage.spans.insert(from...end) }
        return coverage
    }

    private static func spans(of channel: Int64, _ database: Database) throws -> [ClosedRange<Int64>] {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT low, high FROM span WHERE channel = ?"), arguments: [channel])
        return rows.map { $0[0]...max($0[0], $0[1]) }
    }
}

extension WriteTransaction {
    /// Records that no message is missing in a range of a channel. `channel` 0 stands for all channels.
    func cover(_ span: ClosedRange<Int64>, of channel: Int64) throws {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT low, high FROM span WHERE channel = ?"), arguments: [channel])
        var spans = SpanSet(rows.map { $0[0]...max($0[0], $0[1]) })
        spans.insert(span)
        try database.cachedStatement(sql: "DELETE FROM span WHERE channel = ?").execute(arguments: [channel])
        let insertion = try database.cachedStatement(sql: "INSERT INTO span (channel, low, high) VALUES (?, ?, ?)")
        for span in spans.spans { try insertion.execute(arguments: [channel, span.lowerBound, span.upperBound]) }
    }

    /// Records that the user has joined a group, whose messages the inbox delivers from then on (rule CD-28).
    func join(_ group: String, at time: Int64) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO joined (channel, position) VALUES (?, ?)
                ON CONFLICT (channel) DO UPDATE SET position = max(position, excluded.position)
                """
        ).execute(arguments: [channel(ChatChannel(.group, group)).number, Position.end(of: time)])
    }

    /// Stores the range of positions that the inbox has delivered completely until now. A new range begins at `from`; nil begins none.
    func beginInbox(from: Int64?) throws {
        guard let row = try Row.fetchOne(database, sql: "SELECT inbox_from, inbox_last FROM state") else { return }
        let last: Int64 = row[1]
        if let before: Int64 = row[0], before <= last { try cover(before...last, of: 0) }
        try database.execute(sql: "UPDATE state SET inbox_from = ?", arguments: [from])
    }
}

extension ChatHistoryRequest {
    /// The range of positions in which `page`, the answer to this request, proves that no message of the channel is missing; nil if it
    /// proves nothing.
    func proven(by page: [ChatMessage], hasMore: Bool, inboxFrom: Int64?) -> ClosedRange<Int64>? {
        let ids = page.compactMap { Position.of($0.id) }
        // The inbox delivers all messages after `inboxFrom`. So a page with the latest messages proves that none is missing up to
        // `inboxFrom`.
        let now = max(ids.max() ?? 0, inboxFrom ?? 0)
        let bound: Int64
        switch place {
        case .latest: bound = now
        case .before(let id): bound = Int64(clamping: id.rawValue) - 1
        case .beforeTime(let time): bound = Position.start(of: time) - 1
        case .after(let id): bound = Int64(clamping: min(id.rawValue, .max - 1) + 1)
        case .afterTime(let time): bound = Position.end(of: time)
        }
        switch place {
        case .latest, .before, .beforeTime:
            // An empty page proves nothing if the server has more messages (`hasMore`).
            if hasMore, ids.isEmpty { return nil }
            let low = hasMore ? ids.min() ?? 0 : 0
            return low <= bound ? low...bound : nil
        case .after, .afterTime:
            if hasMore, ids.isEmpty { return nil }
            let high = hasMore ? ids.max() ?? 0 : now
            return bound <= high ? bound...high : nil
        }
    }
}
