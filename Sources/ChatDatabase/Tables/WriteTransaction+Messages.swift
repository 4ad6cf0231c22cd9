import ChatProtocol
import GRDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum Stored {
    static func data(_ bytes: [UInt8]) -> Data { Data(bytes) }
}

// MARK: - Finding

extension WriteTransaction {
    func fetch(_ condition: String, _ arguments: StatementArguments) throws -> LocalMessage? {
        let row = try Row.fetchOne(database.cachedStatement(sql: MessageColumns.select(condition)), arguments: arguments)
        guard var message = row.map(MessageColumns.message(of:)) else { return nil }
        // The message is marked as read if it is not later than the channel's read mark. `knownChannel` has the newest mark, which this
        // transaction may not have written yet.
        if let channel = try knownChannel(message.channel) { message.note(readTime: channel.readTime) }
        return message
    }

    func message(localID: Int64) throws -> LocalMessage? {
        try fetch("m.local_id = ?", [localID])
    }

    func message(_ id: Int64, in channel: ChannelState) throws -> LocalMessage? {
        guard id <= channel.top else { return nil }
        return try fetch("m.channel = ? AND m.position = ? AND m.id IS NOT NULL", [channel.number, id])
    }

    func ownMessage(clientID: String) throws -> LocalMessage? {
        try fetch("m.client_id = ? AND m.flags & 1 = 1 ORDER BY m.local_id DESC LIMIT 1", [clientID])
    }

    /// Whether the message mentioned this user when it was received. Edits do not change this.
    func isMention(_ message: LocalMessage) throws -> Bool {
        let flags = try Int.fetchOne(
            database.cachedStatement(sql: "SELECT flags FROM message WHERE local_id = ?"), arguments: [message.localID])
        return MessageColumns.Flags(rawValue: flags ?? 0).contains(.isMention)
    }
}

// MARK: - Adding and changing messages

extension WriteTransaction {
    /// Stores a message at a position and indexes its words. A message without a server id at this position is moved to the next free
    /// position. Unread counts do not change.
    func add(
        _ message: LocalMessage, at position: Int64, to channel: inout ChannelState, text: MessageText, isFetched: Bool = false
    ) throws -> Int64 {
        try clear(position, for: 0, in: &channel)
        let slot = try slot(for: text, at: message.sentTime, in: &channel)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO message (channel, position, slot, id, client_id, sender, type, flags, status, received, sent_time,
                    received_time, edited, content, metadata, users, push, extra)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        let options = message.options
        var flags = MessageColumns.flags(message, isMention: text.mentions(user) && !message.isSent)
        if isFetched { flags.insert(.isFetched) }
        try statement.execute(arguments: [
            channel.number, position, slot, message.id == nil ? nil : position, message.clientID,
            number(of: message.sender), number(of: message.type), flags.rawValue, message.status.rawValue, message.received,
            message.sentTime, message.receivedTime, message.edited, Stored.data(message.content),
            options.metadata.isEmpty ? nil : StoredText.text(options.metadata.mapValues { $0 }),
            options.users.map { StoredText.text($0) }, options.push.map(Stored.data),
            message.localExtra.isEmpty ? nil : message.localExtra,
        ])
        let localID = database.lastInsertedRowID
        if let slot { try index(text.words, slot: slot, in: channel) }
        channel.top = max(channel.top, position)
        return localID
    }

    /// Makes a position in the channel free for the message `localID`. If a message without a server's id has this position, that message
    /// is moved to the next free position.
    func clear(_ position: Int64, for localID: Int64, in channel: inout ChannelState) throws {
        guard position <= channel.top else { return }
        let holder = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT local_id FROM message WHERE channel = ? AND position = ? AND id IS NULL"),
            arguments: [channel.number, position])
        guard let holder, holder != localID else { return }
        let free = try freePosition(from: Position.next(position), in: channel)
        try move(holder, to: free)
        channel.top = max(channel.top, free)
    }

    /// The lowest position, from `position` on, that no message of the channel has.
    func freePosition(from position: Int64, in channel: ChannelState) throws -> Int64 {
        var position = position
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM message WHERE channel = ? AND position = ?")
        while position <= channel.top, position < .max, try Int.fetchOne(statement, arguments: [channel.number, position]) != nil
        {
            position += 1
        }
        return position
    }

    func move(_ localID: Int64, to position: Int64) throws {
        try database.cachedStatement(sql: "UPDATE message SET position = ? WHERE local_id = ?")
            .execute(arguments: [position, localID])
    }

    /// Writes the id, the status and the time of an own message, and moves it to its final position.
    func settle(_ message: LocalMessage, at position: Int64, in channel: inout ChannelState) throws {
        try clear(position, for: message.localID, in: &channel)
        let old = try slot(of: message)
        let text = MessageText(message.type, message.content)
        if let old { try unindex(text.words, slot: old, in: channel) }
        // Clears the old slot, the message's number in the index of words. The next statement sets a slot for the new time.
        try database.cachedStatement(
            sql: "UPDATE message SET id = ?, position = ?, status = ?, sent_time = ?, slot = NULL WHERE local_id = ?"
        ).execute(arguments: [
            message.id.flatMap(Position.of), position, message.status.rawValue, message.sentTime, message.localID,
        ])
        channel.top = max(channel.top, position)
        guard let slot = try slot(for: text, at: message.sentTime, in: &channel) else { return }
        try database.cachedStatement(sql: "UPDATE message SET slot = ? WHERE local_id = ?")
            .execute(arguments: [slot, message.localID])
        try index(text.words, slot: slot, in: channel)
    }

    /// Replaces the content of a message, and its words in the index.
    func setContent(_ content: [UInt8], of message: LocalMessage, edited: Int64?) throws {
        var channel = try channel(message.channel)
        let old = try slot(of: message)
        if let old { try unindex(MessageText(message.type, message.content).words, slot: old, in: channel) }
        let text = MessageText(message.type, content)
        let slot = try text.words == nil ? nil : old ?? slot(for: text, at: message.sentTime, in: &channel)
        set(channel)
        try database.cachedStatement(sql: "UPDATE message SET content = ?, edited = ?, slot = ? WHERE local_id = ?")
            .execute(arguments: [Stored.data(content), edited, slot, message.localID])
        if let slot { try index(text.words, slot: slot, in: channel) }
    }

    func setMetadata(_ metadata: [String: String], of localID: Int64) throws {
        try database.cachedStatement(sql: "UPDATE message SET metadata = ? WHERE local_id = ?")
            .execute(arguments: [metadata.isEmpty ? nil : StoredText.text(metadata.mapValues { $0 }), localID])
    }
}

// MARK: - The index of words

extension WriteTransaction {
    /// A free slot for a message in the index of words: the millisecond at which it was sent, or the next one that no message has. Nil for
    /// a message that is not indexed.
    private func slot(for text: MessageText, at time: Int64, in channel: inout ChannelState) throws -> Int64? {
        guard text.words != nil, channel.number <= WordKey.lastChannel else { return nil }
        let wanted = min(max(time, 0), WordKey.lastSlot - WordKey.room)
        var slot = wanted
        if wanted <= channel.topSlot {
            // Each query finds the last taken slot in a range of 256. So a few queries find a free slot even if very many messages have the
            // same time.
            let statement = try database.cachedStatement(
                sql: "SELECT max(slot) FROM message WHERE channel = ? AND slot BETWEEN ? AND ?")
            while slot <= channel.topSlot {
                let taken = try Int64.fetchOne(statement, arguments: [channel.number, slot, slot + 255])
                guard let taken else { break }
                slot = taken + 1
            }
        }
        guard slot <= WordKey.lastSlot else { return nil }
        channel.topSlot = max(channel.topSlot, slot)
        channel.drift = max(channel.drift, slot - wanted)
        return slot
    }

    func slot(of message: LocalMessage) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT slot FROM message WHERE local_id = ?"), arguments: [message.localID])
    }

    private func index(_ words: String?, slot: Int64, in channel: ChannelState) throws {
        guard let words else { return }
        try database.cachedStatement(sql: "INSERT INTO message_text (rowid, text) VALUES (?, ?)")
            .execute(arguments: [WordKey.key(channel.number, slot), words])
    }

    private func unindex(_ words: String?, slot: Int64, in channel: ChannelState) throws {
        guard let words else { return }
        // The index does not store texts, so the words to remove are passed to it.
        try database.cachedStatement(sql: "INSERT INTO message_text (message_text, rowid, text) VALUES ('delete', ?, ?)")
            .execute(arguments: [WordKey.key(channel.number, slot), words])
    }
}

// MARK: - Removing

extension WriteTransaction {
    func remove(_ message: LocalMessage) throws {
        var channel = try channel(message.channel)
        let isMention = try isMention(message)
        if let slot = try slot(of: message) {
            try unindex(MessageText(message.type, message.content).words, slot: slot, in: channel)
        }
        try database.cachedStatement(sql: "DELETE FROM message WHERE local_id = ?").execute(arguments: [message.localID])
        if channel.isKept, message.isUnread {
            channel.unread = max(0, channel.unread - 1)
            if isMention { channel.mentions = max(0, channel.mentions - 1) }
        }
        if channel.latest == message.localID { try findLatest(&channel) }
        set(channel)
    }

    func findLatest(_ channel: inout ChannelState) throws {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT local_id, position FROM message WHERE channel = ? AND flags & \(MessageColumns.Flags.isNotLatest.rawValue) = 0
                    ORDER BY position DESC LIMIT 1
                    """),
            arguments: [channel.number])
        channel.latest = row?[0]
        channel.latestPosition = row?[1] ?? 0
    }

    /// Makes a message the one that the list of channels shows for its channel, unless the list shows a later message.
    func show(_ localID: Int64, _ message: LocalMessage, at position: Int64, in channel: inout ChannelState) {
        guard !message.options.isNotLatest, channel.latest == nil || position > channel.latestPosition else { return }
        channel.latest = localID
        channel.latestPosition = position
    }

    /// Counts the channel's unread messages after its read mark, and sets the counts in `channel`.
    func countUnread(_ channel: inout ChannelState) throws {
        guard channel.isKept else { return }
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT count(*), ifnull(sum(flags & \(MessageColumns.Flags.isMention.rawValue) <> 0), 0) FROM message
                    WHERE channel = ? AND position >= ? AND flags & 3 = \(MessageColumns.Flags.isCounted.rawValue) AND received & 1 = 0
                    """),
            arguments: [channel.number, channel.readPosition])
        channel.unread = row?[0] ?? 0
        channel.mentions = row?[1] ?? 0
    }
}

extension LocalMessage {
    /// Whether the message counts as unread. Call ``note(readTime:)`` first, which applies the channel's read mark to `received`.
    var isUnread: Bool { !isSent && options.isCounted && received & 1 == 0 }

    /// Marks the message as read if the channel's read mark covers it. The mark is not stored in the rows of messages.
    mutating func note(readTime: Int64) {
        if !isSent, sentTime <= readTime { received |= 1 }
    }
}
