import ChatProtocol
import Identifiers

/// The result of storing a message that the server has sent.
enum Taken {
    case known
    /// An own message that was being sent: the server had accepted the message, but its answer to the sender had not arrived.
    case finished(LocalMessage)
    case added(LocalMessage, position: Int64, isMention: Bool)
}

extension WriteTransaction {
    /// Stores a message with an id once, whether it comes from the inbox, a page of history or an open channel. It does not change unread
    /// counts.
    /// - Parameter isFetched: whether the message comes from a page of history. If the inbox delivers the same message later, the message
    ///   counts as new at that time (rule CD-14).
    func take(_ message: LocalMessage, id: Int64, isFetched: Bool = false) throws -> Taken {
        if message.isSent, let clientID = message.clientID, let own = try ownMessage(clientID: clientID),
            own.channel == message.channel
        {
            guard own.id == nil else { return .known }
            return try finish(own, id: id).map(Taken.finished) ?? .known
        }
        var channel = try channel(message.channel)
        if let known = try self.message(id, in: channel) {
            guard !isFetched, let new = try deliver(known, channel) else { return .known }
            return .added(new, position: id, isMention: try isMention(new))
        }
        var message = message
        if let early = try early(id, in: channel) {
            if early.isRecalled { return .known }
            message.apply(early)
        }
        message.note(readTime: channel.readTime)
        let text = MessageText(message.type, message.content)
        message.localID = try add(message, at: id, to: &channel, text: text, isFetched: isFetched)
        set(channel)
        return .added(message, position: id, isMention: text.mentions(user))
    }

    /// Handles a message of the inbox that a page of history has already contained.
    /// - Returns: the updated message; nil when the inbox has already delivered it.
    private func deliver(_ known: LocalMessage, _ channel: ChannelState) throws -> LocalMessage? {
        let isFetched = MessageColumns.Flags.isFetched.rawValue
        try database.cachedStatement(
            sql: "UPDATE message SET flags = flags & ~?1, received = received & ~1 WHERE local_id = ?2 AND flags & ?1 <> 0"
        ).execute(arguments: [isFetched, known.localID])
        guard database.changesCount > 0 else { return nil }
        var message = known
        message.received &= ~1
        message.note(readTime: channel.readTime)
        return message
    }

    /// Sets the id of an own message, which the server has accepted. Returns nil when the message was deleted or recalled while it was
    /// being sent.
    func finish(_ own: LocalMessage, id: Int64) throws -> LocalMessage? {
        var channel = try channel(own.channel)
        if let early = try early(id, in: channel), early.isRecalled {
            try remove(own)
            return nil
        }
        // The same message may be stored a second time, without its client id. That copy is removed. `own` stays, because the application
        // refers to its local id.
        if let twin = try message(id, in: channel), twin.localID != own.localID { try remove(twin) }
        channel = try self.channel(own.channel)
        var message = own
        message.id = Position.id(id)
        message.status = .sent
        message.sentTime = Position.time(id)
        try settle(message, at: id, in: &channel)
        if channel.latest == message.localID {
            // The final position may be before the position of another message. That other message is then the channel's latest one.
            try findLatest(&channel)
        } else {
            show(message.localID, message, at: id, in: &channel)
        }
        if !message.options.isNotLatest { channel.touch(at: message.sentTime) }
        set(channel)
        return message
    }

    func set(_ receipt: LocalReceipt, of message: LocalMessage) throws {
        // In a direct channel only one user can read the message, so one reader makes its status `read`.
        let isRead = message.channel.conversation == .direct && receipt.read > 0
        let status = isRead ? LocalMessageStatus.read : message.status
        try database.cachedStatement(
            sql: "UPDATE message SET read_count = ?, unread_count = ?, total_count = ?, status = ? WHERE local_id = ?"
        ).execute(arguments: [receipt.read, receipt.unread, receipt.total, status.rawValue, message.localID])
    }

    /// Moves the channel's read mark to a later time.
    /// - Returns: whether the mark has changed.
    func read(_ id: ChatChannel, upTo time: Int64) throws -> Bool {
        var channel = try channel(id)
        guard time > channel.readTime else { return false }
        channel.readTime = time
        try countUnread(&channel)
        set(channel)
        return true
    }

    /// Marks all stored messages as read. For messages of the server, the read mark moves to the newest one. Messages that were inserted on
    /// this device are marked one by one. The mark is never a time of this device's clock: if this clock were ahead, the mark would cover
    /// future messages (rule CD-58).
    /// - Returns: the read mark; 0 when the channel has no message of the server.
    @discardableResult
    func readAll(of id: ChatChannel) throws -> Int64 {
        var channel = try channel(id)
        let newest = try Int64.fetchOne(
            database.cachedStatement(
                sql: "SELECT position FROM message WHERE channel = ? AND id IS NOT NULL ORDER BY position DESC LIMIT 1"),
            arguments: [channel.number])
        let mark = newest.map(Position.time) ?? 0
        try database.cachedStatement(
            sql: """
                UPDATE message SET received = received | 1
                WHERE channel = ? AND position >= ? AND id IS NULL AND received & 1 = 0 AND flags & 1 = 0
                """
        ).execute(arguments: [channel.number, channel.readPosition])
        channel.readTime = max(channel.readTime, mark)
        try countUnread(&channel)
        set(channel)
        return mark
    }

    func setLevel(_ level: Int, of conversation: ChatConversationKind) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO kind (conversation, level) VALUES (?, ?)")
            .execute(arguments: [conversation.rawValue, level])
    }
}

extension LocalMessage {
    /// Converts a message of the server to its stored form for `user`.
    init(_ message: ChatMessage, user: String, now: Int64) {
        let isSent = message.from.isExactly(user) && message.conversation != .system
        self.init(
            channel: message.channel(for: user), id: message.id, clientID: message.clientID, sender: message.from,
            isSent: isSent, status: isSent ? .sent : .received, sentTime: message.time, receivedTime: now, type: message.type,
            content: message.content, options: message.options, edited: message.edited)
    }

    mutating func apply(_ early: EarlyMessageChange) {
        if let time = early.edited, let new = early.content, time > edited ?? .min {
            content = new
            edited = time
        }
        for (key, value) in early.metadata { options.metadata[key] = value }
    }
}
