/// The reason why a store could not be opened, or why an operation failed. An error contains the remedy if there is one, and never a
/// message or a password.
public enum PostgreSQLStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// PostgreSQL's client library libpq is not installed.
    case libraryMissing
    /// The installed libpq is older than version 14.
    case libraryTooOld
    /// The address cannot be parsed. It is not part of the error, because it may contain a password.
    case invalidAddress
    /// The server does not answer, is stopping, or refuses the connection. The store reconnects automatically.
    case unreachable(reason: String)
    /// Another server uses the tables.
    case inUse(schema: String)
    /// Another server has used the tables after this server lost its connection.
    case replaced(schema: String)
    /// Another server has become the leader of the partition, so this server can no longer write.
    case deposed
    /// The tables contain the data of another cluster.
    case otherCluster(schema: String)
    /// This version has to change the tables, but servers of an older version are using them.
    case olderServers(schema: String)
    /// A newer version of Lifeline has changed the tables.
    case newer(schema: String)
    /// A schema that is only read has no tables, or the tables of an older version of Lifeline.
    case unprepared(schema: String)
    /// The schema contains tables of another program.
    case foreign(schema: String)
    /// The tables contain values that this version cannot read.
    case damaged(schema: String)
    /// The disk of the database is full. The store continues as soon as the disk has space.
    case full
    /// PostgreSQL refuses a statement; `code` is its SQLSTATE.
    case refused(reason: String, code: String)
    /// The queue of writes is full, because the database is too slow.
    case overloaded
    /// A message or event with this number exists already.
    case duplicate
    /// The store was closed.
    case closed

    public var description: String {
        let (fact, advice) = parts
        return advice.map { "\(fact): \($0)" } ?? fact
    }

    /// A description of the error, and the operator's remedy; the remedy is nil when there is nothing to do.
    package var parts: (fact: String, advice: String?) {
        switch self {
        case .libraryMissing:
            (
                "PostgreSQL needs its client library libpq, which was not found",
                "install it, on Debian and Ubuntu with apt-get install libpq5, on macOS with brew install libpq"
            )
        case .libraryTooOld:
            (
                "PostgreSQL needs its client library libpq in version 14 or later, and the one that was found is older",
                "update it, or the system that it belongs to"
            )
        case .invalidAddress:
            (
                "the address of the PostgreSQL database cannot be read",
                "write postgres://USER@HOST:PORT/DATABASE, with %XX for special characters, and no parameters behind ? but those of libpq, "
                    + "such as sslmode"
            )
        case .unreachable(let reason):
            ("PostgreSQL cannot be reached (\(reason))", "check the address, the password and that the database runs")
        case .inUse(let schema):
            (
                "another server is using the schema \(schema) of this database",
                "stop it, or choose another database with --data"
            )
        case .replaced(let schema):
            (
                "another server has used the schema \(schema) of this database since this server lost its connection",
                "stop the other server, and start this one again"
            )
        case .deposed: ("another server has become the leader of the partition, so this server stores nothing more for it", nil)
        case .otherCluster(let schema):
            (
                "the schema \(schema) of this database belongs to servers with another redisPrefix",
                "choose another database with --data, or the same prefix"
            )
        case .olderServers(let schema):
            (
                "servers of an older version use the schema \(schema) of this database, and its tables have to be changed for this version",
                "stop all servers of the cluster, then start this version"
            )
        case .newer(let schema):
            (
                "the schema \(schema) was written by a newer version of Lifeline",
                "use that version, or another database"
            )
        case .unprepared(let schema):
            (
                "the schema \(schema) of this database has no tables of this version of Lifeline",
                "start this version's server with it once"
            )
        case .foreign(let schema):
            (
                "the schema \(schema) of this database contains tables of another program",
                "choose another database with --data"
            )
        case .damaged(let schema):
            (
                "the tables of the schema \(schema) contain values that cannot be read",
                "restore the database from a backup"
            )
        case .full: ("no room is left on the disk of the database", "free some space")
        case .refused(let reason, let code):
            ("PostgreSQL refuses a statement (\(reason), SQLSTATE \(code))", "see the log of the database")
        case .overloaded: ("the queue of messages to store is full, because the database is too slow", "publish more slowly")
        case .duplicate: ("a message with this timetoken is stored already", nil)
        case .closed: ("the store is closed", nil)
        }
    }

    /// Converts any error to an error for the operator of the server.
    init(_ error: any Error) {
        if let known = error as? PostgreSQLStoreError {
            self = known
            return
        }
        guard let error = error as? PostgresError else {
            self = .refused(reason: "unexpected error", code: "none")
            return
        }
        switch error.state {
        case "23505": self = .duplicate
        // A division by zero comes only from the check of a leader's term, because no other statement can divide by zero.
        case PostgresTerms.failure: self = .deposed
        case "53100": self = .full
        case _ where error.endsConnection || error.state == "53300": self = .unreachable(reason: error.message)
        default: self = .refused(reason: error.message, code: error.state)
        }
    }
}
