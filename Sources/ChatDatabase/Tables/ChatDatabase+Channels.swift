import ChatProtocol
import GRDB

// MARK: - The list of channels

extension ChatDatabase {
    /// A page of the list of channels: pinned channels first, then by the time of the last operation, newest first.
    /// - Parameters:
    ///   - after: the end of the previous page; nil for the first page.
    ///   - time: a time in ms; only channels whose last operation was before it are listed. Nil for all.
    ///   - pinnedFirst: whether pinned channels come first; false sorts by time only.
    public func channels(
        _ conversations: [ChatConversationKind], after place: ChannelPlace? = nil, before time: Int64? = nil, limit: Int,
        pinnedFirst: Bool = true
    ) throws(ChatDatabaseError) -> [LocalChannel] {
        try read { database in
            // A user has so few channels that reading all of them is cheaper than an index for each order.
            let kinds = Self.list(conversations)
            // The rank sorts pinned channels first. If they need not come first, the rank is the expression `pinned * 0` instead of the
            // number 0, because in `ORDER BY` SQL takes a plain number for the index of a column.
            let rank = pinnedFirst ? "pinned" : "pinned * 0"
            var condition = "listed = 1 AND conversation IN (\(kinds)) AND operation_time < ?"
            var arguments: StatementArguments = [time ?? .max]
            if let place {
                condition += " AND (\(rank), operation_time, conversation, id) < (?, ?, ?, ?)"
                arguments += [
                    pinnedFirst && place.isPinned ? 1 : 0, place.operationTime, place.channel.conversation.rawValue,
                    place.channel.id,
                ]
            }
            return try Self.fetch(
                "WHERE \(condition) ORDER BY \(rank) DESC, operation_time DESC, conversation DESC, id DESC LIMIT ?",
                arguments + [max(0, limit)], in: database)
        }
    }

    /// A channel, whether it is in the list or not; nil when it is not stored.
    public func channel(_ channel: ChatChannel) throws(ChatDatabaseError) -> LocalChannel? {
        try read { database in
            try Self.fetch(
                "WHERE conversation = ? AND id = ?", [channel.conversation.rawValue, channel.id], in: database
            ).first
        }
    }

    /// The given channels without those that are not in the user's list of channels. The order of the argument is kept.
    public func channels(_ channels: [ChatChannel]) throws(ChatDatabaseError) -> [LocalChannel] {
        try read { database in
            try channels.compactMap {
                try Self.fetch(
                    "WHERE conversation = ? AND id = ? AND listed = 1", [$0.conversation.rawValue, $0.id], in: database
                ).first
            }
        }
    }

    public func pinnedChannels(_ conversations: [ChatConversationKind]) throws(ChatDatabaseError) -> [LocalChannel] {
        try list("pinned = 1", conversations)
    }

    public func unreadChannels(_ conversations: [ChatConversationKind]) throws(ChatDatabaseError) -> [LocalChannel] {
        try list("unread > 0", conversations)
    }

    private func list(
        _ condition: String, _ conversations: [ChatConversationKind]
    ) throws(ChatDatabaseError) -> [LocalChannel] {
        try read { database in
            try Self.fetch(
                """
                WHERE listed = 1 AND \(condition) AND conversation IN (\(Self.list(conversations)))
                ORDER BY pinned DESC, operation_time DESC, conversation DESC, id DESC
                """, [], in: database)
        }
    }

    static func fetch(_ rest: String, _ arguments: StatementArguments, in database: Database) throws -> [LocalChannel] {
        let statement = try database.cachedStatement(sql: "SELECT \(ChannelState.columns) FROM channel \(rest)")
        let states = try Row.fetchAll(statement, arguments: arguments).map(ChannelState.init(row:))
        let latest = try database.cachedStatement(sql: MessageColumns.select("m.local_id = ?"))
        return try states.map { state in
            let message = try state.latest.flatMap { try Row.fetchOne(latest, arguments: [$0]) }.map(MessageColumns.message(of:))
            return LocalChannel(
                channel: state.channel, unread: state.unread, mentions: state.mentions, isPinned: state.isPinned,
                level: state.level, operationTime: state.operationTime, draft: state.draft, latest: message,
                readTime: state.readTime)
        }
    }

    static func list(_ conversations: [ChatConversationKind]) -> String {
        Set(conversations).map(\.rawValue).sorted().map(String.init).joined(separator: ",")
    }
}

// MARK: - Changes

extension ChatDatabase {
    /// Pins a channel to the top of the list, or unpins it.
    ///
    /// - Parameter time: the time of the operation in ms, by which the channel moves up in the list; nil leaves the channel's operation
    ///   time as it is. A channel that has none gets the present time.
    public func setPinned(
        _ isPinned: Bool, of channel: ChatChannel, operationTime time: Int64? = nil
    ) throws(ChatDatabaseError) {
        try write { transaction in
            try transaction.change(channel) { state in
                state.isPinned = isPinned
                if state.isKept { state.isListed = true }
                state.operationTime = max(state.operationTime, time ?? (state.operationTime == 0 ? transaction.now : 0))
            }
        }
    }

    /// Sets a channel's level of notifications (chat-protocol.md, section 6).
    public func setLevel(_ level: Int, of channel: ChatChannel) throws(ChatDatabaseError) {
        try write { transaction in try transaction.change(channel) { $0.level = level } }
    }

    /// Sets the level of notifications for all channels of a kind that have no level (0) of their own.
    public func setLevel(_ level: Int, of conversation: ChatConversationKind) throws(ChatDatabaseError) {
        try write { transaction in try transaction.setLevel(level, of: conversation) }
    }

    public func level(of conversation: ChatConversationKind) throws(ChatDatabaseError) -> Int {
        try read { database in
            try Int.fetchOne(
                database, sql: "SELECT level FROM kind WHERE conversation = ?", arguments: [conversation.rawValue]) ?? 0
        }
    }

    /// Sets the draft of a channel; an empty text removes it. A channel with a new draft moves up in the list.
    public func setDraft(_ draft: String, of channel: ChatChannel) throws(ChatDatabaseError) {
        try write { transaction in
            try transaction.change(channel) { state in
                guard state.draft != draft else { return }
                state.draft = draft
                if !draft.isEmpty { state.touch(at: transaction.now) }
            }
        }
    }

    /// Removes channels from the list, together with their drafts, pins and unread counts. Messages are kept unless `andMessages` is true.
    /// A channel returns to the list with its next message.
    public func deleteChannels(_ channels: [ChatChannel], andMessages: Bool = false) throws(ChatDatabaseError) {
        try write { transaction in
            for id in channels where try transaction.knownChannel(id) != nil {
                if andMessages { try transaction.removeMessages(of: id, before: .max) }
                try transaction.readAll(of: id)
                try transaction.change(id) { state in
                    state.isListed = false
                    state.isPinned = false
                    state.draft = ""
                    state.unread = 0
                    state.mentions = 0
                }
            }
        }
    }
}

// MARK: - Unread messages

extension ChatDatabase {
    /// The number of unread messages in all channels of these kinds.
    /// - Parameter levels: the notification levels of the channels to count; nil for all. A channel without a level has the level of its
    ///   kind.
    public func unreadTotal(
        _ conversations: [ChatConversationKind], levels: [Int]? = nil, onlyMentions: Bool = false
    ) throws(ChatDatabaseError) -> Int {
        try read { database in
            var condition = "listed = 1 AND channel.conversation IN (\(Self.list(conversations)))"
            if let levels {
                let numbers = levels.map(String.init).joined(separator: ",")
                condition += " AND iif(channel.level <> 0, channel.level, ifnull(kind.level, 0)) IN (\(numbers))"
            }
            return try Int.fetchOne(
                database,
                sql: """
                    SELECT ifnull(sum(\(onlyMentions ? "mentions" : "unread")), 0) FROM channel
                    LEFT JOIN kind ON kind.conversation = channel.conversation WHERE \(condition)
                    """) ?? 0
        }
    }

    /// Marks all messages of a channel up to `time` (ms) as read; nil means up to the latest message.
    /// - Returns: the read mark to send to the user's other devices; nil when no message was unread.
    @discardableResult
    public func clearUnread(of channel: ChatChannel, upTo time: Int64? = nil) throws(ChatDatabaseError) -> Int64? {
        try write { transaction in
            guard let state = try transaction.knownChannel(channel) else { return nil }
            let before = (state.unread, state.mentions)
            let mark: Int64
            if let time {
                mark = time
                guard try transaction.read(channel, upTo: mark) else { return nil }
            } else {
                mark = try transaction.readAll(of: channel)
            }
            let after = try transaction.channel(channel)
            return before == (after.unread, after.mentions) ? nil : mark
        }
    }

    /// The oldest unread message of a channel; nil for none.
    public func firstUnread(of channel: ChatChannel) throws(ChatDatabaseError) -> LocalMessage? {
        try unread(of: channel, mask: MessageColumns.Flags.isCounted, limit: 1).first
    }

    /// Unread messages of a channel that mention the user, oldest first.
    public func unreadMentions(of channel: ChatChannel, limit: Int = 100) throws(ChatDatabaseError) -> [LocalMessage] {
        try unread(of: channel, mask: [.isCounted, .isMention], limit: limit)
    }

    private func unread(
        of channel: ChatChannel, mask: MessageColumns.Flags, limit: Int
    ) throws(ChatDatabaseError) -> [LocalMessage] {
        try read { database in
            guard let state = try ChannelState.fetch(channel, database), state.unread > 0 else { return [] }
            let condition = """
                m.channel = ? AND m.position >= ? AND m.received & 1 = 0 AND m.flags & 1 = 0 AND m.flags & ? = ?
                ORDER BY m.position LIMIT ?
                """
            return try Row.fetchAll(
                database.cachedStatement(sql: MessageColumns.select(condition)),
                arguments: [state.number, state.readPosition, mask.rawValue, mask.rawValue, limit]
            ).map(MessageColumns.message(of:))
        }
    }
}
