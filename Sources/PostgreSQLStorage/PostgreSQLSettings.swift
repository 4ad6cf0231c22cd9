import Foundation
import ServerValues

/// How stores reach a PostgreSQL database, and what they keep.
public struct PostgreSQLSettings: Hashable, Sendable {
    /// The address as libpq reads it: `postgres://user@host:port/database?sslmode=verify-full`. It may contain a password.
    public var url: String
    /// A file with the password, read for each new connection, without the newline at its end; nil for a password of the address, of the
    /// environment variable `PGPASSWORD`, or of the file that `PGPASSFILE` names.
    public var passwordFile: String?
    /// The schema of the tables, which is created if necessary. Stores of different schemas know nothing of each other.
    public var schema: String
    /// The number of connections that read, from 1; one more writes. Each store has its own connections.
    public var poolSize: Int
    /// How long a statement may take until its connection is given up, in milliseconds.
    public var answerTimeout: Int
    /// The name of the cluster whose servers use the tables together; nil when one server at a time does.
    package var cluster: String?
    /// How long messages outside of the history are kept for readers that catch up, in units of 100 ns; 20 minutes.
    public var catchUp: UInt64
    /// The largest number of messages of one channel that are loaded when the server starts.
    public var recentPerChannel: Int
    /// The largest number of messages of all channels that are loaded when the server starts.
    public var recentInAll: Int
    /// The maximum size of these messages in bytes, approximately.
    public var recentBytes: Int
    /// The largest number of events in a user's inbox of chat; the oldest are deleted.
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

    /// Checks the address without connecting. libpq's own error could quote the password, so it is not repeated.
    func check(_ libpq: LibPQ) throws(PostgreSQLStoreError) {
        guard let options = libpq.conninfoParse(url, nil) else { throw .invalidAddress }
        libpq.conninfoFree(options)
    }

    /// The content of ``passwordFile``; nil without one.
    func currentPassword() throws(PostgresError) -> String? {
        guard let passwordFile else { return nil }
        do {
            let text = try String(contentsOfFile: passwordFile, encoding: .utf8)
            return String(text.prefix { !$0.isNewline })
        } catch {
            throw PostgresError(message: "the password file \(passwordFile) cannot be read")
        }
    }

    /// The schema as a quoted name in SQL.
    var quotedSchema: String {
        "\"" + schema.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
