import ChatProtocol
import GRDB
import WireCoding

/// The columns of a message's row, and the SQL that reads them.
enum MessageColumns {
    /// Bits of `flags`.
    struct Flags: OptionSet {
        let rawValue: Int
        static let isSent = Flags(rawValue: 1)
        static let isCounted = Flags(rawValue: 2)
        static let needsReceipt = Flags(rawValue: 4)
        static let isQuiet = Flags(rawValue: 8)
        static let isNotLatest = Flags(rawValue: 16)
        static let hasSentReceipt = Flags(rawValue: 32)
        /// The message mentions the user of this database.
        static let isMention = Flags(rawValue: 64)
        /// A page of history contained the message, and the inbox has not delivered it yet.
        static let isFetched = Flags(rawValue: 128)
    }

    /// The columns in the order in which ``message(of:)`` reads them.
    static let columns = """
        m.local_id, c.conversation, c.id, m.id, m.client_id, s.text, t.text, m.flags, m.status, m.received, m.sent_time,
        m.received_time, m.edited, m.content, m.metadata, m.users, m.push, m.extra, m.read_count, m.unread_count,
        m.total_count, c.read_time
        """

    static let columnCount = 22

    /// The joins that ``columns`` need, for messages `m`. SQLite performs them in this order.
    static let joins = """
        CROSS JOIN channel c ON c.number = m.channel CROSS JOIN name s ON s.number = m.sender
        CROSS JOIN name t ON t.number = m.type
        """

    static func select(_ condition: String) -> String {
        "SELECT \(columns) FROM message m \(joins) WHERE \(condition)"
    }

    static func message(of row: Row) -> LocalMessage {
        let flags = Flags(rawValue: row[7])
        let isSent = flags.contains(.isSent)
        let conversation = ChatConversationKind(rawValue: row[1]) ?? .direct
        let sentTime: Int64 = row[10]
        var message = LocalMessage(
            localID: row[0], channel: ChatChannel(conversation, row[2]), sender: row[5], isSent: isSent,
            status: LocalMessageStatus(rawValue: row[8]) ?? .failed, sentTime: sentTime, receivedTime: row[11], type: row[6],
            content: bytes(row, 13) ?? [])
        message.id = (row[3] as Int64?).map { ChatMessageID(rawValue: UInt64(bitPattern: $0)) }
        message.clientID = row[4]
        message.received = row[9]
        message.note(readTime: row[21])
        message.edited = row[12]
        message.localExtra = row[17] ?? ""
        message.hasSentReceipt = flags.contains(.hasSentReceipt)
        message.options.isCounted = flags.contains(.isCounted)
        message.options.needsReceipt = flags.contains(.needsReceipt)
        message.options.isQuiet = flags.contains(.isQuiet)
        message.options.isNotLatest = flags.contains(.isNotLatest)
        if let metadata: String = row[14] { message.options.metadata = StoredText.pairs(metadata).compactMapValues { $0 } }
        if let users: String = row[15] { message.options.users = StoredText.list(users) }
        message.options.push = bytes(row, 16)
        if let read: Int = row[18], let unread: Int = row[19], let total: Int = row[20] {
            message.receipt = LocalReceipt(read: read, unread: unread, total: total)
        }
        return message
    }

    static func bytes(_ row: Row, _ column: Int) -> [UInt8]? {
        try? row.withUnsafeData(atIndex: column) { data in data.map { Array($0) } }
    }

    static func flags(_ message: LocalMessage, isMention: Bool) -> Flags {
        var flags: Flags = []
        if message.isSent { flags.insert(.isSent) }
        if message.options.isCounted { flags.insert(.isCounted) }
        if message.options.needsReceipt { flags.insert(.needsReceipt) }
        if message.options.isQuiet { flags.insert(.isQuiet) }
        if message.options.isNotLatest { flags.insert(.isNotLatest) }
        if message.hasSentReceipt { flags.insert(.hasSentReceipt) }
        if isMention { flags.insert(.isMention) }
        return flags
    }
}

/// Encodes lists and dictionaries as the text of one column.
enum StoredText {
    /// Encodes a dictionary as a JSON object whose values are strings or null.
    static func text(_ pairs: [String: String?]) -> String {
        var out: [UInt8] = [UInt8(ascii: "{")]
        for (index, key) in pairs.keys.sorted().enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(key, to: &out)
            out.append(UInt8(ascii: ":"))
            if let value = pairs[key] ?? nil {
                JSONWriter.appendString(value, to: &out)
            } else {
                JSONWriter.append("null", to: &out)
            }
        }
        out.append(UInt8(ascii: "}"))
        return String(decoding: out, as: UTF8.self)
    }

    static func pairs(_ text: String) -> [String: String?] {
        var pairs: [String: String?] = [:]
        for member in JSONText(checked: text).members ?? [] { pairs.updateValue(member.value.string, forKey: member.key) }
        return pairs
    }

    static func text(_ list: [String]) -> String {
        var out: [UInt8] = [UInt8(ascii: "[")]
        for (index, item) in list.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(item, to: &out)
        }
        out.append(UInt8(ascii: "]"))
        return String(decoding: out, as: UTF8.self)
    }

    static func list(_ text: String) -> [String] {
        (JSONText(checked: text).elements ?? []).compactMap(\.string)
    }
}
