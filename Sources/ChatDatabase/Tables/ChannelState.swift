import ChatProtocol
import GRDB

/// The row of a channel in memory, while a transaction changes it.
struct ChannelState: Hashable {
    var number: Int64
    var channel: ChatChannel
    var unread = 0
    var mentions = 0
    var isPinned = false
    var level = 0
    var operationTime: Int64 = 0
    var draft = ""
    /// The local id of the message that the list of channels shows; nil for none.
    var latest: Int64?
    var latestPosition: Int64 = 0
    var readTime: Int64 = 0
    var isListed = false
    /// An upper bound of the positions of the channel's messages. A higher position is certainly free, so no query is needed to check it.
    var top: Int64 = 0
    var topSlot: Int64 = 0
    /// The largest difference in ms, among the channel's messages, between a message's slot in the index of words and the time at which the
    /// message was sent. The slot is never earlier.
    var drift: Int64 = 0

    static let columns = """
        number, conversation, id, unread, mentions, pinned, level, operation_time, draft, latest, latest_position, read_time,
        listed, top, top_slot, drift
        """

    init(number: Int64, channel: ChatChannel) {
        self.number = number
        self.channel = channel
    }

    init(row: Row) {
        number = row[0]
        channel = ChatChannel(ChatConversationKind(rawValue: row[1]) ?? .direct, row[2])
        unread = row[3]
        mentions = row[4]
        isPinned = row[5]
        level = row[6]
        operationTime = row[7]
        draft = row[8]
        latest = row[9]
        latestPosition = row[10]
        readTime = row[11]
        isListed = row[12]
        top = row[13]
        topSlot = row[14]
        drift = row[15]
    }

    static func fetch(_ channel: ChatChannel, _ database: Database) throws -> ChannelState? {
        let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM channel WHERE conversation = ? AND id = ?")
        return try Row.fetchOne(statement, arguments: [channel.conversation.rawValue, channel.id]).map(ChannelState.init(row:))
    }

    func save(_ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE channel SET unread = ?, mentions = ?, pinned = ?, level = ?, operation_time = ?, draft = ?, latest = ?,
                    latest_position = ?, read_time = ?, listed = ?, top = ?, top_slot = ?, drift = ?
                WHERE number = ?
                """)
        try statement.execute(arguments: [
            unread, mentions, isPinned, level, operationTime, draft, latest, latestPosition, readTime, isListed, top, topSlot,
            drift, number,
        ])
    }

    /// Whether the channel appears in the list of channels and counts unread messages. Open channels do neither.
    var isKept: Bool { channel.conversation != .open }

    /// The lowest position of messages that the channel's read mark does not cover.
    var readPosition: Int64 { Position.end(of: readTime) }

    mutating func touch(at time: Int64) {
        operationTime = max(operationTime, time)
        if isKept { isListed = true }
    }
}

/// Positions in a channel: ids of messages, in units of 100 ns since 1970.
enum Position {
    static let perMillisecond: Int64 = 10_000

    /// The lowest position of messages that were sent in the millisecond `time` or later.
    static func start(of time: Int64) -> Int64 {
        min(max(time, 0), .max / perMillisecond) * perMillisecond
    }

    /// The lowest position of messages that were sent after the millisecond `time`. It accepts any time, because times come from the server
    /// or from other devices.
    static func end(of time: Int64) -> Int64 { start(of: time < .max ? time + 1 : time) }

    static func time(_ position: Int64) -> Int64 { position / perMillisecond }

    /// The highest id that a message of the server may have, in the year 31,193. Higher positions are for this device's own messages,
    /// which come after all others (rule CD-13).
    static let last: Int64 = .max - (1 << 40)

    /// The position directly after another one; `Int64.max` has none and is returned itself.
    static func next(_ position: Int64) -> Int64 { position < .max ? position + 1 : position }

    /// A position that is lower than those of all messages.
    static let bottom: Int64 = 0

    /// The position of a message with this id; nil for an invalid id, which is 0 or above ``last`` (rule CD-13).
    static func of(_ id: ChatMessageID) -> Int64? {
        guard let position = Int64(exactly: id.rawValue), position != 0, position <= last else { return nil }
        return position
    }

    static func id(_ position: Int64) -> ChatMessageID { ChatMessageID(rawValue: UInt64(max(0, position))) }
}
