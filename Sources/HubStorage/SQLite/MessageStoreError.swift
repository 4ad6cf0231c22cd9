import GRDB

/// Why a store could not be opened, or why an operation failed. The text names the remedy if there is one; it never contains a message.
public enum MessageStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process has locked the directory.
    case inUse(directory: String)
    /// The file is no longer a valid database.
    case damaged(file: String)
    /// The database was written by a newer version of Lifeline.
    case newer(file: String)
    /// The file is a database of another program.
    case foreign(file: String)
    /// The disk is full. The store continues as soon as there is free space.
    case full(file: String)
    /// The file or directory cannot be read or written; `reason` is the error text of the system or of SQLite.
    case unusable(path: String, reason: String)
    /// The queue of writes is full, because the disk is too slow.
    case overloaded
    /// A message with this timetoken is already stored in the channel.
    case duplicate
    /// The store was closed.
    case closed

    /// Whether the error concerns the whole database, so that other calls would fail with it, too.
    var isOutage: Bool {
        switch self {
        case .damaged, .full, .unusable: true
        case .inUse, .newer, .foreign, .overloaded, .duplicate, .closed: false
        }
    }

    public var description: String {
        let (fact, advice) = parts
        return advice.map { "\(fact): \($0)" } ?? fact
    }

    /// What has happened, and what the operator can do about it; `advice` is nil when there is no remedy.
    package var parts: (fact: String, advice: String?) {
        switch self {
        case .inUse(let directory):
            ("another server is using \(directory)", "stop it, or choose another directory with --data")
        case .damaged(let file):
            (
                "the database \(file) is damaged",
                """
                recover it with `sqlite3 \(file) .recover`, or move it, \(file)-wal and \(file)-shm away to start empty. Leave the directory \
                `files` where it is: the server sets aside uploaded files that are not in its database for 30 days, and takes them back with \
                the database
                """
            )
        case .newer(let file):
            (
                "the database \(file) was written by a newer version of Lifeline",
                "use that version, or choose another directory with --data"
            )
        case .foreign(let file):
            ("\(file) is a database of another program", "choose another directory with --data")
        case .full(let file):
            ("the disk of \(file) is full", "free some space on this disk")
        case .unusable(let path, let reason):
            ("\(path) cannot be used (\(reason))", "check that the directory exists and that its owner runs the server")
        case .overloaded: ("the queue of messages to store is full, because the disk is too slow", "publish more slowly")
        case .duplicate: ("a message with this timetoken is stored already", nil)
        case .closed: ("the message store is closed", nil)
        }
    }

    /// Translates an error of SQLite into a `MessageStoreError`, whose text names the remedy for the operator.
    init(_ error: any Error, file: String) {
        if let known = error as? MessageStoreError {
            self = known
            return
        }
        guard let error = error as? DatabaseError else {
            self = .unusable(path: file, reason: "unexpected error")
            return
        }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(file: file)
        case .SQLITE_FULL: self = .full(file: file)
        case .SQLITE_CONSTRAINT: self = .duplicate
        default: self = .unusable(path: file, reason: error.message ?? "SQLite error \(error.resultCode.rawValue)")
        }
    }
}
