import ChatProtocol
import GRDB

extension ChatDatabase {
    public func message(localID: Int64) throws(ChatDatabaseError) -> LocalMessage? {
        try read { database in
            try Row.fetchOne(database.cachedStatement(sql: MessageColumns.select("m.local_id = ?")), arguments: [localID])
                .map(MessageColumns.message(of:))
        }
    }

    /// The message with this id; nil when it is not stored.
    ///
    /// - Parameter channel: the message's channel, if it is known. It makes the search faster if there are very many channels.
    public func message(id: ChatMessageID, in channel: ChatChannel? = nil) throws(ChatDatabaseError) -> LocalMessage? {
        guard let position = Position.of(id) else { return nil }
        return try read { database in
            // For each channel, this query looks up the position once in an index.
            var sql = "SELECT m.local_id FROM channel c CROSS JOIN message m ON m.channel = c.number AND m.position = ?1"
            var arguments: StatementArguments = [position]
            sql += " WHERE m.id = ?1"
            if let channel {
                sql += " AND c.conversation = ?2 AND c.id = ?3"
                arguments += [channel.conversation.rawValue, channel.id]
            }
            guard let found = try Int64.fetchOne(database.cachedStatement(sql: sql), arguments: arguments) else { return nil }
            return try Row.fetchOne(database.cachedStatement(sql: MessageColumns.select("m.local_id = ?")), arguments: [found])
                .map(MessageColumns.message(of:))
        }
    }

    /// The own message with this client id; nil when it is not stored.
    public func message(clientID: String) throws(ChatDatabaseError) -> LocalMessage? {
        try read { database in
            try Row.fetchOne(
                database.cachedStatement(
                    sql: MessageColumns.select("m.client_id = ? AND m.flags & 1 = 1 ORDER BY m.local_id DESC LIMIT 1")),
                arguments: [clientID]
            ).map(MessageColumns.message(of:))
        }
    }

    // MARK: - Changes that this device makes

    /// Marks a received message as read (bit 1), listened to (2) or downloaded (4). Bits are added to those that are set already.
    @discardableResult
    public func setReceived(_ bits: Int, of localID: Int64) throws(ChatDatabaseError) -> LocalMessage? {
        try write { transaction in
            guard var message = try transaction.message(localID: localID), !message.isSent else { return nil }
            var channel = try transaction.channel(message.channel)
            if bits & 1 != 0, channel.isKept, message.isUnread {
                channel.unread = max(0, channel.unread - 1)
                if try transaction.isMention(message) { channel.mentions = max(0, channel.mentions - 1) }
                transaction.set(channel)
            }
            message.received |= bits
            try transaction.database.execute(
                sql: "UPDATE message SET received = received | ? WHERE local_id = ?", arguments: [bits, localID])
            return message
        }
    }

    /// Sets the application's own text for a message, which is stored on this device only.
    public func setLocalExtra(_ extra: String, of localID: Int64) throws(ChatDatabaseError) {
        try write { transaction in
            try transaction.database.execute(
                sql: "UPDATE message SET extra = ? WHERE local_id = ?", arguments: [extra.isEmpty ? nil : extra, localID])
        }
    }

    /// Records that this user has sent read receipts for these messages.
    public func setReceiptSent(_ ids: [ChatMessageID], in channel: ChatChannel) throws(ChatDatabaseError) {
        try write { transaction in
            guard let state = try transaction.knownChannel(channel) else { return }
            let statement = try transaction.database.cachedStatement(
                sql:
                    "UPDATE message SET flags = flags | \(MessageColumns.Flags.hasSentReceipt.rawValue) WHERE channel = ? AND position = ?"
            )
            for id in ids.compactMap(Position.of) { try statement.execute(arguments: [state.number, id]) }
        }
    }

    /// Stores a change that this client has requested and the server has confirmed, for example an edit, as if it had arrived through the
    /// inbox.
    public func apply(_ event: ChatWireEvent) throws(ChatDatabaseError) -> [ReceivedChange] {
        try receive(transient: [event])
    }

    /// Deletes messages on this device. A later page of the server's history stores a message again if the server still has it.
    /// - Returns: the deleted messages.
    @discardableResult
    public func deleteMessages(localIDs: [Int64]) throws(ChatDatabaseError) -> [LocalMessage] {
        try write { transaction in
            try localIDs.compactMap { localID in
                let message = try transaction.message(localID: localID)
                if let message { try transaction.remove(message) }
                return message
            }
        }
    }

    @discardableResult
    public func deleteMessages(
        _ ids: [ChatMessageID], in channel: ChatChannel
    ) throws(ChatDatabaseError) -> [LocalMessage] {
        try write { transaction in
            guard let state = try transaction.knownChannel(channel) else { return [] }
            return try ids.compactMap(Position.of).compactMap { id in
                let message = try transaction.message(id, in: state)
                if let message { try transaction.remove(message) }
                return message
            }
        }
    }

    /// Deletes messages of a channel that were sent up to a time (ms, included); `Int64.max` deletes all.
    public func deleteMessages(of channel: ChatChannel, upTo time: Int64) throws(ChatDatabaseError) {
        try write { transaction in
            try transaction.removeMessages(of: channel, before: Position.end(of: time))
        }
    }
}

extension WriteTransaction {
    /// Removes all messages of a channel whose positions are lower than this one.
    func removeMessages(of id: ChatChannel, before position: Int64) throws {
        guard let state = try knownChannel(id) else { return }
        let statement = try database.cachedStatement(
            sql: MessageColumns.select("m.channel = ? AND m.position < ? ORDER BY m.position LIMIT 500"))
        while true {
            let some = try Row.fetchAll(statement, arguments: [state.number, position]).map(MessageColumns.message(of:))
            for message in some {
                var message = message
                if let channel = try knownChannel(id) { message.note(readTime: channel.readTime) }
                try remove(message)
            }
            if some.count < 500 { return }
        }
    }
}
