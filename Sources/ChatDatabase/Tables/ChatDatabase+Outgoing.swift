import ChatProtocol
import GRDB

// MARK: - Messages that are being sent

extension ChatDatabase {
    /// Stores a message that is about to be sent, with status `sending`, at the end of its channel.
    ///
    /// - Returns: the message with its `localID`. A status message, or a message that is not for the history, is not stored. Its `localID`
    ///   is 0, and calls with that number do nothing.
    @discardableResult
    public func insert(_ outgoing: LocalMessage) throws(ChatDatabaseError) -> LocalMessage {
        var message = outgoing
        message.isSent = true
        message.status = .sending
        return try insertLocal([message]).first ?? message
    }

    /// Stores messages on this device only, without sending them. They count as unread in the same way as received messages. A `sentTime`
    /// of 0 means now; an earlier `sentTime` determines the message's position.
    @discardableResult
    public func insertLocal(_ messages: [LocalMessage]) throws(ChatDatabaseError) -> [LocalMessage] {
        try write { transaction in try messages.map(transaction.insertLocal) }
    }

    /// Records that the server has accepted a message: sets its id, the server's time and its final position.
    /// - Returns: the message; nil when it was deleted while it was being sent.
    @discardableResult
    public func finish(localID: Int64, id: ChatMessageID) throws(ChatDatabaseError) -> LocalMessage? {
        try write { transaction in
            guard let own = try transaction.message(localID: localID), let position = Position.of(id) else { return nil }
            return own.id == nil ? try transaction.finish(own, id: position) : own
        }
    }

    /// Records that sending a message has failed or was cancelled. It has no effect once the server has accepted the message.
    @discardableResult
    public func fail(localID: Int64, status: LocalMessageStatus = .failed) throws(ChatDatabaseError) -> LocalMessage? {
        try write { transaction in
            guard var own = try transaction.message(localID: localID), own.id == nil else { return nil }
            own.status = status
            try transaction.setStatus(status, of: localID)
            return own
        }
    }

    /// Replaces the content of a message that is being sent, for example when its file has been uploaded and has an address. This does not
    /// count as an edit. It has no effect once the server has accepted the message.
    public func setContent(_ content: [UInt8], of localID: Int64) throws(ChatDatabaseError) {
        try write { transaction in
            guard let own = try transaction.message(localID: localID), own.id == nil else { return }
            try transaction.setContent(content, of: own, edited: own.edited)
        }
    }

    /// Prepares a failed message to be sent again with the same client id: moves it to the end of its channel, with status `sending`.
    @discardableResult
    public func restart(localID: Int64) throws(ChatDatabaseError) -> LocalMessage? {
        try write { transaction in
            guard var own = try transaction.message(localID: localID), own.id == nil else { return nil }
            var channel = try transaction.channel(own.channel)
            own.status = .sending
            own.sentTime = transaction.now
            let position = max(min(Position.start(of: own.sentTime), Position.last), Position.next(channel.top))
            try transaction.settle(own, at: position, in: &channel)
            transaction.show(localID, own, at: position, in: &channel)
            channel.touch(at: own.sentTime)
            transaction.set(channel)
            return own
        }
    }

    /// Messages that were being sent when the process ended. They are marked as failed, but the server may have accepted some of them. If
    /// they are sent again with the same client ids, the server delivers each of them only once (chat-protocol.md, 5.1).
    public func unfinished() throws(ChatDatabaseError) -> [LocalMessage] {
        let interrupted = interrupted
        guard !interrupted.isEmpty else { return [] }
        return try write { transaction in
            try interrupted.compactMap(transaction.message(localID:)).filter { $0.id == nil && $0.status == .failed }
        }
    }
}

extension WriteTransaction {
    /// Marks messages that were being sent as failed, when the database is opened. Returns their local ids.
    static func failInterrupted(_ database: Database) throws -> [Int64] {
        let sending = LocalMessageStatus.sending.rawValue
        let interrupted = try Int64.fetchAll(
            database, sql: "SELECT local_id FROM message WHERE status < 30 AND status = ? ORDER BY local_id", arguments: [sending]
        )
        try database.execute(
            sql: "UPDATE message SET status = ? WHERE status < 30 AND status = ?",
            arguments: [LocalMessageStatus.failed.rawValue, sending])
        return interrupted
    }

    func setStatus(_ status: LocalMessageStatus, of localID: Int64) throws {
        try database.cachedStatement(sql: "UPDATE message SET status = ? WHERE local_id = ?")
            .execute(arguments: [status.rawValue, localID])
    }

    func insertLocal(_ message: LocalMessage) throws -> LocalMessage {
        var message = message
        message.localID = 0
        message.id = nil
        guard message.options.isPersisted, !message.options.isStatus else { return message }
        if message.sentTime <= 0 { message.sentTime = now }
        var channel = try channel(message.channel)
        let start = min(Position.start(of: message.sentTime), Position.last)
        // A message that is being sent always comes last in its channel, even if this device's clock is behind.
        let position =
            message.status == .sending ? max(start, Position.next(channel.top)) : try freePosition(from: start, in: channel)
        message.note(readTime: channel.readTime)
        let text = MessageText(message.type, message.content)
        message.localID = try add(message, at: position, to: &channel, text: text)
        show(message.localID, message, at: position, in: &channel)
        if !message.options.isNotLatest { channel.touch(at: message.sentTime) }
        if channel.isKept, message.isUnread {
            channel.unread += 1
            if text.mentions(user) { channel.mentions += 1 }
        }
        set(channel)
        return message
    }
}
