import GRDB
import NexconnProtocol

/// What is known of a channel's history (rules CD-20 to CD-24).
struct Coverage {
    /// Pages of history that were asked for, and what came through the inbox, in all channels alike.
    var spans: SpanSet
    /// From here on everything comes through the inbox; nil when that cannot be relied on.
    var inboxFrom: Int64?

    /// - Parameter number: nil for a channel of which nothing is known here.
    static func fetch(_ channel: NexconnChannel, _ number: Int64?, _ database: Database) throws -> Coverage {
        // What is said in open channels does not come through the inbox (session document, section 8).
        let hasInbox = channel.conversation != .open
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT low, high FROM span WHERE channel = ? OR channel = ?"),
            arguments: [number ?? -1, hasInbox ? 0 : -1])
        var coverage = Coverage(spans: SpanSet(rows.map { $0[0]...max($0[0], $0[1]) }))
        guard hasInbox else { return coverage }
        coverage.inboxFrom = try Int64.fetchOne(database.cachedStatement(sql: "SELECT inbox_from FROM state"))
        if let from = coverage.inboxFrom { coverage.spans.insert(from...Int64.max) }
        return coverage
    }
}

extension WriteTransaction {
    /// Notes that nothing is missing in a stretch of a channel; 0 stands for all channels.
    func cover(_ span: ClosedRange<Int64>, of channel: Int64) throws {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT low, high FROM span WHERE channel = ?"), arguments: [channel])
        var spans = SpanSet(rows.map { $0[0]...max($0[0], $0[1]) })
        spans.insert(span)
        try database.cachedStatement(sql: "DELETE FROM span WHERE channel = ?").execute(arguments: [channel])
        let insertion = try database.cachedStatement(sql: "INSERT INTO span (channel, low, high) VALUES (?, ?, ?)")
        for span in spans.spans { try insertion.execute(arguments: [channel, span.lowerBound, span.upperBound]) }
    }

    /// Ends what comes through the inbox without a hole, and lets it begin anew at `from`.
    func beginInbox(from: Int64?) throws {
        guard let row = try Row.fetchOne(database, sql: "SELECT inbox_from, inbox_last FROM state") else { return }
        let last: Int64 = row[1]
        if let before: Int64 = row[0], before <= last { try cover(before...last, of: 0) }
        try database.execute(sql: "UPDATE state SET inbox_from = ?", arguments: [from])
    }
}

extension NexconnHistoryRequest {
    /// The stretch of the channel that an answer to this request proves to be without holes; nil for none.
    func proven(by page: [NexconnMessage], hasMore: Bool, inboxFrom: Int64?) -> ClosedRange<Int64>? {
        let ids = page.compactMap { Position.of($0.id) }
        // What is new comes through the inbox, so that a page up to now reaches to where that begins.
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
            // An empty page that says there is more proves nothing.
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
