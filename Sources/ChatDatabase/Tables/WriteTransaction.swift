import ChatProtocol
import GRDB
import Identifiers

/// One write transaction. Rows of channels are read once, changed in memory, and written at the end of the transaction.
final class WriteTransaction {
    let database: Database
    let user: String
    /// Milliseconds since 1970.
    let now: Int64
    /// A cache of the numbers under which the table `name` stores user ids and message types.
    private(set) var names: [Identifier: Int64]
    private var channels: [ChatChannel: ChannelState] = [:]
    private var unchanged: [ChatChannel: ChannelState] = [:]
    private var hasEarly: Bool?

    /// The largest number of cached names. The cache is emptied when it has more.
    private static let namesLimit = 10_000

    init(_ database: Database, user: String, now: Int64, names: [Identifier: Int64]) {
        self.database = database
        self.user = user
        self.now = now
        self.names = names
    }

    func flush() throws {
        for (channel, state) in channels where unchanged[channel] != state { try state.save(database) }
        if names.count > Self.namesLimit { names = [:] }
    }

    // MARK: - Channels

    /// The row of a channel, which is created if it does not exist.
    func channel(_ channel: ChatChannel) throws -> ChannelState {
        if let state = try knownChannel(channel) { return state }
        let statement = try database.cachedStatement(sql: "INSERT INTO channel (conversation, id) VALUES (?, ?)")
        try statement.execute(arguments: [channel.conversation.rawValue, channel.id])
        let state = ChannelState(number: database.lastInsertedRowID, channel: channel)
        channels[channel] = state
        unchanged[channel] = state
        return state
    }

    func knownChannel(_ channel: ChatChannel) throws -> ChannelState? {
        if let state = channels[channel] { return state }
        guard let state = try ChannelState.fetch(channel, database) else { return nil }
        channels[channel] = state
        unchanged[channel] = state
        return state
    }

    func set(_ state: ChannelState) {
        channels[state.channel] = state
    }

    func change(_ channel: ChatChannel, _ body: (inout ChannelState) throws -> Void) throws {
        var state = try self.channel(channel)
        try body(&state)
        set(state)
    }

    // MARK: - Names

    func number(of name: String) throws -> Int64 {
        if let number = names[Identifier(name)] { return number }
        let lookup = try database.cachedStatement(sql: "SELECT number FROM name WHERE text = ?")
        var number = try Int64.fetchOne(lookup, arguments: [name])
        if number == nil {
            try database.cachedStatement(sql: "INSERT INTO name (text) VALUES (?)").execute(arguments: [name])
            number = database.lastInsertedRowID
        }
        names[Identifier(name)] = number
        return number ?? 0
    }

    // MARK: - Changes of messages that are not stored yet

    func early(_ id: Int64, in channel: ChannelState) throws -> EarlyMessageChange? {
        let isThere = try hasEarly ?? (Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM early)") ?? false)
        hasEarly = isThere
        guard isThere else { return nil }
        let statement = try database.cachedStatement(
            sql: "SELECT recalled, edited, content, metadata FROM early WHERE channel = ? AND id = ?")
        return try Row.fetchOne(statement, arguments: [channel.number, id]).map(EarlyMessageChange.init(row:))
    }

    func save(_ change: EarlyMessageChange, of id: Int64, in channel: ChannelState) throws {
        hasEarly = true
        let statement = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO early (channel, id, recalled, edited, content, metadata) VALUES (?, ?, ?, ?, ?, ?)")
        try statement.execute(arguments: [
            channel.number, id, change.isRecalled, change.edited, change.content.map(Stored.data),
            change.metadata.isEmpty ? nil : StoredText.text(change.metadata),
        ])
    }

    // MARK: - The position in the inbox

    static func place(_ database: Database) throws -> ChatPlace? {
        guard let row = try Row.fetchOne(database, sql: "SELECT epoch, sequence FROM state"), let epoch: String = row[0] else {
            return nil
        }
        return ChatPlace(epoch: epoch, sequence: UInt64(bitPattern: row[1]))
    }

    func save(_ place: ChatPlace, lastID: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE state SET epoch = ?, sequence = ?, inbox_last = max(inbox_last, ?)"
        ).execute(arguments: [place.epoch, Int64(bitPattern: place.sequence), lastID])
    }
}

/// A change of a message that arrived before the message itself.
struct EarlyMessageChange {
    var isRecalled = false
    var edited: Int64?
    var content: [UInt8]?
    /// The changed entries of the metadata; the value is nil for a deleted entry.
    var metadata: [String: String?] = [:]

    init() {}

    init(row: Row) {
        isRecalled = row[0]
        edited = row[1]
        content = MessageColumns.bytes(row, 2)
        metadata = (row[3] as String?).map(StoredText.pairs) ?? [:]
    }
}
