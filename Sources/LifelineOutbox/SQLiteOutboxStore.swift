import DatabaseFile
import GRDB
import Lifeline
import NIOConcurrencyHelpers

/// Stores the messages of an outbox in a SQLite file. A lock prevents that another process or outbox opens the file at the same time.
final class SQLiteOutboxStore: OutboxStore {
    private let file: DatabaseFile
    private let queue: DatabaseQueue
    /// The lock of the file; nil once the store is closed.
    private let lock: NIOLockedValueBox<FileLock?>

    /// Opens the file, or creates it if it does not exist. A damaged file is moved aside and replaced by a new one.
    static func open(_ file: DatabaseFile) async throws(LifelineError) -> OutboxStorage.Opened {
        do {
            let lock = try file.reserve()
            do {
                return try await open(file, lock)
            } catch {
                lock.release()
                throw error
            }
        } catch {
            throw LifelineError(storage: error)
        }
    }

    private static func open(_ file: DatabaseFile, _ lock: FileLock) async throws -> OutboxStorage.Opened {
        let wasThere = try file.prepare()
        if !file.isMarked {
            do {
                let (queue, records) = try await OutboxSchema.open(path: file.path)
                return OutboxStorage.Opened(
                    store: SQLiteOutboxStore(file, queue: queue, lock: lock), records: records, isRecreated: false)
            } catch let error as DatabaseError where wasThere && error.isDamage {
            }
        }
        try file.putAside()
        _ = try file.prepare()
        let (queue, records) = try await OutboxSchema.open(path: file.path)
        return OutboxStorage.Opened(store: SQLiteOutboxStore(file, queue: queue, lock: lock), records: records, isRecreated: true)
    }

    private init(_ file: DatabaseFile, queue: DatabaseQueue, lock: FileLock) {
        self.file = file
        self.queue = queue
        self.lock = NIOLockedValueBox(lock)
    }

    deinit { lock.withLockedValue { $0 }?.release() }

    func apply(_ changes: [OutboxChange]) async throws(LifelineError) {
        do {
            try await queue.write { database in
                for change in changes { try OutboxRows.apply(change, to: database) }
            }
        } catch {
            if (error as? DatabaseError)?.isDamage == true { file.markDamaged() }
            throw LifelineError(storage: error)
        }
    }

    func close() async {
        // Moves all data from SQLite's write-ahead log into the database file. If this fails, SQLite reads the log when the file is opened
        // the next time.
        _ = try? await queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? queue.close()
        let held = lock.withLockedValue { lock in
            defer { lock = nil }
            return lock
        }
        held?.release()
    }
}

extension DatabaseError {
    /// Whether SQLite reports the file as damaged or as no database, so that a new file is necessary.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}

extension LifelineError {
    /// Makes the error for a failed file operation. It contains SQLite's result code or the system's error text, but no data of the file.
    init(storage error: any Error) {
        switch error {
        case let error as LifelineError: self = error
        case DatabaseFileError.locked:
            self.init(
                .storageLocked,
                "The file of the outbox is open already, in this process or another one. Close that outbox, or use another folder."
            )
        case DatabaseFileError.unusable(let reason):
            self.init(
                .storageFailed, "The file of the outbox cannot be used (\(reason)). Choose a folder that the app may write.")
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
            self.init(.storageFailed, "The disk is full, so the outbox cannot be written. Free some space and try again.")
        case let error as DatabaseError where error.isDamage:
            self.init(
                .storageFailed,
                "The file of the outbox is damaged. Open the outbox again: this moves the file aside and creates a new one.")
        case let error as DatabaseError:
            self.init(
                .storageFailed,
                "The file of the outbox cannot be read or written (SQLite error \(error.resultCode.rawValue)). Check the disk, then open "
                    + "the outbox again.")
        default:
            self.init(
                .storageFailed,
                "The file of the outbox cannot be read or written (\(type(of: error))). Check the disk, then open the outbox again."
            )
        }
    }
}
