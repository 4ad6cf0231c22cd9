import Foundation
import ServerValues

/// The address of a PostgreSQL database, and the limits of the data that stores keep in it.
public struct PostgreSQLSettings: Hashable, Sendable {
    /// The address in libpq's format: `postgres://user@host:port/database?sslmode=verify-full`. It may contain a password.
    public var url: String
    /// The path of a file with the password. It is read for each new connection, without the newline at its end. Nil for a password in the
    /// address, in the environment variable `PGPASSWORD`, or in the file that `PGPASSFILE` names.
    public var passwordFile: String?
    /// The schema of the tables, which is created if necessary. Stores in different schemas are independent of each other.
    public var schema: String
    /// The number of connections that read, at least 1. One more connection writes. Each store has its own connections.
    public var poolSize: Int
    /// The time in milliseconds after which a statement without an answer ends its connection.
    public var answerTimeout: Int
    /// The name of the cluster whose servers share the tables; nil when one server at a time uses them.
    package var cluster: String?
    /// How long messages outside of the history are kept for readers that catch up, in units of 100 ns; 20 minutes by default.
    public var catchUp: UInt64
    /// The largest number of messages of one channel that are loaded when the server starts.
    public var recentPerChannel: Int
    /// The largest number of messages of all channels that are loaded when the server starts.
    public var recentInAll: Int
    /// The largest size of the messages that are loaded when the server starts, in bytes, approximately.
    public var recentBytes: Int
    /// The largest number of events in a chat user's inbox. Beyond it, the oldest events are deleted from the inbox.
    public var inboxEntries: Int

    /// Makes settings.
    public init(
        url: String, passwordFile: String? = nil, schema: String = "lifeline", poolSize: Int = 4, answerTimeout: Int = 10_000,
        catchUp: UInt64 = 1200 * TimetokenClock.ticksPerSecond, recentPerChannel: Int = 101, recentInAll: Int = 200_000,
        recentBytes: Int = 256 << 20, inboxEntries: Int = 20_000
    ) {
        self.url = url
        self.passwordFile = passwordFile
        self.schema = schema
        self.poolSize = max(1, poolSize)
        self.answerTimeout = max(1, answerTimeout)
        self.catchUp = catchUp
        self.recentPerChannel = recentPerChannel
        self.recentInAll = recentInAll
        self.recentBytes = recentBytes
        self.inboxEntries = max(1, inboxEntries)
    }

    /// Checks the address without connecting. The error does not repeat libpq's message, which could quote the password.
    func check(_ libpq: LibPQ) throws(PostgreSQLStoreError) {
        guard let options = libpq.conninfoParse(url, nil) else { throw .invalidAddress }
        libpq.conninfoFree(options)
    }

    /// The password in ``passwordFile``; nil if no file is set.
    func currentPassword() throws(PostgresError) -> String? {
        guard let passwordFile else { return nil }
        do {
            let text = try String(contentsOfFile: passwordFile, encoding: .utf8)
            return String(text.prefix { !$0.isNewline })
        } catch {
            throw PostgresError(message: "the password file \(passwordFile) cannot be read")
        }
    }

    /// The name of the schema as a quoted identifier in SQL.
    var quotedSchema: String {
        "\"" + schema.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
