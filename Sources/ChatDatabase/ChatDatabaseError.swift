import ChatProtocol
import DatabaseFile
import GRDB

/// The reason why the local database could not be opened, or why an operation failed. No error contains a message or a user's name.
public enum ChatDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The database was closed, because the user signed out or another user signed in.
    case closed
    /// The disk is full. The call changed nothing. Later calls work as soon as there is space.
    case full
    /// Another process has locked the file for longer than two seconds. The call changed nothing.
    case locked
    /// The file is damaged. The next opening moves it aside and creates a new one (rule CD-4).
    case damaged
    /// The directory or the file cannot be read or written; `reason` is the message of the system or of SQLite.
    case unusable(reason: String)

    public var description: String {
        switch self {
        case .closed: "the local database is closed"
        case .full: "no room is left for the local database: free space on this device"
        case .locked: "another process has locked the local database: close the other program that uses it"
        case .damaged: "the local database is damaged: sign in again to begin a new one"
        case .unusable(let reason): "the local database cannot be used (\(reason))"
        }
    }

    /// The error code under which the API reports the error.
    public var code: ChatErrorCode { self == .closed ? .databaseClosed : .storageFailed }

    init(_ error: any Error) {
        if let known = error as? ChatDatabaseError {
            self = known
            return
        }
        if let error = error as? DatabaseFileError {
            switch error {
            case .locked: self = .locked
            case .unusable(let reason): self = .unusable(reason: reason)
            }
            return
        }
        guard let error = error as? DatabaseError else {
            self = .unusable(reason: "unexpected error")
            return
        }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged
        case .SQLITE_FULL: self = .full
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked
        // The reason is safe to report: SQLite's messages contain at most the file's name, never its contents.
        default: self = .unusable(reason: error.message ?? "SQLite error \(error.resultCode.rawValue)")
        }
    }
}
