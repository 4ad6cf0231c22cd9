import ChatProtocol
import GRDB

extension ChatDatabase {
    /// Begins an inbox after the welcome of a new connection, and records whether the inbox continues without a gap.
    /// - Parameters:
    ///   - time: the server's time at the welcome, in ms since 1970.
    ///   - isContinued: whether the inbox was resumed without a loss. If not, every channel has a gap up to `time`.
    ///   - hasEverything: whether the inbox delivers all messages, including those that the user sends with other devices
    ///     (`syncsDevices`). If not, only the server's pages of history prove that no message is missing.
    public func beginInbox(at time: Int64, isContinued: Bool, hasEverything: Bool) throws(ChatDatabaseError) {
        try write { transaction in
            let from = hasEverything ? Position.end(of: time) : nil
            let goesOn = try Int64.fetchOne(transaction.database, sql: "SELECT inbox_from FROM state") != nil
            if !(isContinued && hasEverything && goesOn) { try transaction.beginInbox(from: from) }
        }
    }

    /// Records a loss in the inbox without a new connection: messages may be missing up to `time` (ms), and are complete after it.
    public func declareGap(at time: Int64) throws(ChatDatabaseError) {
        try write { transaction in
            let goesOn = try Int64.fetchOne(transaction.database, sql: "SELECT inbox_from FROM state") != nil
            try transaction.beginInbox(from: goesOn ? Position.end(of: time) : nil)
        }
    }

    /// Stores a page of the server's history, and records the range in which the page proves that no message is missing.
    ///
    /// Messages of a page do not count as unread, and do not move a channel up in the list. Messages that are stored already are updated
    /// with later edits.
    /// - Returns: the messages that were not stored before, oldest first.
    @discardableResult
    public func merge(
        _ page: [ChatMessage], of request: ChatHistoryRequest, hasMore: Bool
    ) throws(ChatDatabaseError) -> [LocalMessage] {
        try write { transaction in
            let new = try transaction.merge(page, of: request.channel)
            let number = try transaction.knownChannel(request.channel)?.number
            let inboxFrom = try Coverage.fetch(request.channel, number, transaction.database).inboxFrom
            if let span = request.proven(by: page, hasMore: hasMore, inboxFrom: inboxFrom) {
                try transaction.cover(span, of: transaction.channel(request.channel).number)
            }
            return new
        }
    }

    /// Stores messages of a channel.
    ///
    /// - Parameter ends: the ids between which no message is missing, both included; nil if no range is proven.
    @discardableResult
    public func merge(
        _ page: [ChatMessage], of channel: ChatChannel, between ends: ClosedRange<ChatMessageID>? = nil
    ) throws(ChatDatabaseError) -> [LocalMessage] {
        try write { transaction in
            let new = try transaction.merge(page, of: channel)
            if let ends, let low = Position.of(ends.lowerBound), let high = Position.of(ends.upperBound) {
                try transaction.cover(low...high, of: transaction.channel(channel).number)
            }
            return new
        }
    }

    /// The ranges of a channel's history in which no message is missing, oldest first. While the inbox delivers all messages, the last
    /// range has no end: it includes ids of future messages.
    public func coverage(of channel: ChatChannel) throws(ChatDatabaseError) -> [ClosedRange<ChatMessageID>] {
        try read { database in
            try Coverage.fetch(channel, ChannelState.fetch(channel, database)?.number, database).spans.spans
                .map { Position.id($0.lowerBound)...Position.id($0.upperBound) }
        }
    }

    /// A page of the local history, and the request to the server if messages may be missing in the page.
    ///
    /// To fill gaps, send the request `missing`, ``merge(_:of:hasMore:)`` the answer, and read the page again, until no message is missing
    /// or the server cannot be reached.
    /// - Parameters:
    ///   - types: the types of messages to return; empty for all.
    ///   - isLive: whether the inbox is complete up to now: the device is connected, and all missed messages have arrived.
    ///   - isFresh: whether the server has just sent the latest messages of the channel, or has just answered that no newer message exists.
    ///     Then no message after the newest stored one is missing.
    public func history(
        _ channel: ChatChannel, from place: LocalPlace = .latest, types: [String] = [], limit: Int = 20, isLive: Bool = true,
        isFresh: Bool = false
    ) throws(ChatDatabaseError) -> LocalPage {
        try read { database in
            let state = try ChannelState.fetch(channel, database)
            let reader = HistoryReader(database: database, channel: state?.number ?? -1)
            let bound = try reader.bound(of: place)
            let limit = max(1, limit)
            let rows = try reader.rows(from: bound, isAscending: place.isAscending, types: types, limit: limit)
            let end = rows.count < limit ? nil : rows.last?.position
            var coverage = try Coverage.fetch(channel, state?.number, isLive: isLive, database).spans
            if isFresh, let last = coverage.spans.last { coverage.insert(last.upperBound...Int64.max) }
            let hole =
                place.isAscending
                ? Self.firstHole(in: coverage, after: bound, upTo: end) : Self.lastHole(in: coverage, before: bound, downTo: end)
            let missing = hole.map { ChatHistoryRequest(channel, place: $0, limit: min(max(limit, 20), 100)) }
            return LocalPage(messages: rows.map(\.message), missing: missing)
        }
    }

    private static func lastHole(
        in coverage: SpanSet, before bound: Int64, downTo end: Int64?
    ) -> ChatHistoryRequest.Place? {
        let high = bound == .max ? bound : bound - 1
        let low = end ?? Position.bottom + 1
        guard high >= low, let hole = coverage.lastHole(in: low...high) else { return nil }
        return hole == .max ? .latest : .before(Position.id(hole + 1))
    }

    private static func firstHole(
        in coverage: SpanSet, after bound: Int64, upTo end: Int64?
    ) -> ChatHistoryRequest.Place? {
        guard bound < .max else { return nil }
        let low = bound + 1
        let high = end ?? .max
        guard low <= high, let hole = coverage.firstHole(in: low...high) else { return nil }
        return .after(Position.id(hole - 1))
    }
}

extension WriteTransaction {
    func merge(_ page: [ChatMessage], of id: ChatChannel) throws -> [LocalMessage] {
        var new: [LocalMessage] = []
        for message in page.sorted(by: { $0.id < $1.id }) {
            guard let position = Position.of(message.id), message.channel(for: user) == id else { continue }
            var received = LocalMessage(message, user: user, now: now)
            // In a page of history, another user's message counts as read. If the inbox delivers the message later, it counts as unread
            // from then on (rule CD-14).
            if !received.isSent { received.received |= 1 }
            switch try take(received, id: position, isFetched: true) {
            case .finished(let own): new.append(own)
            case .known: try takeOver(received, at: position)
            case .added(let kept, _, _):
                var channel = try channel(id)
                show(kept.localID, kept, at: position, in: &channel)
                set(channel)
                new.append(kept)
            }
        }
        return new
    }

    /// Updates a stored message that was edited while this device was offline.
    private func takeOver(_ message: LocalMessage, at position: Int64) throws {
        guard let edited = message.edited, let here = try self.message(position, in: channel(message.channel)),
            edited > here.edited ?? .min
        else { return }
        try setContent(message.content, of: here, edited: edited)
        try setMetadata(message.options.metadata, of: here.localID)
    }
}
