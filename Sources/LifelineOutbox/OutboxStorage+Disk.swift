import DatabaseFile
import Foundation
import Lifeline
import TransportCommon

extension OutboxStorage {
    /// Stores messages on disk, in one SQLite file for each service, application and user, so that they survive the end of the process.
    ///
    /// Only the owner of the file can read it, and on Apple platforms the file is excluded from backups. Sent messages are overwritten with
    /// zeros. The file is not encrypted, except by the system's own protection of an app's files.
    ///
    /// Only one outbox at a time may have the file open. Do not use a folder that an app shares with its extensions: the system ends a
    /// suspended app that holds a lock in such a folder.
    ///
    /// If the file is damaged, or a newer version has written it, the file is moved aside and the outbox begins empty; `Outbox.isRecreated`
    /// is then true.
    ///
    /// - Parameter folder: the directory of the file; created if necessary. Nil for `lifeline/outbox` in the user's folder for application
    ///   data; on tvOS this folder is in Caches, which the system may empty while the app does not run.
    public static func disk(_ folder: URL? = nil) -> OutboxStorage {
        .durable { owner throws(LifelineError) in
            guard let folder = folder ?? ApplicationFolder.url("outbox") else {
                throw LifelineError(
                    .storageFailed, "This system has no folder for application data. Pass a folder: .disk(folder).")
            }
            return try await SQLiteOutboxStore.open(
                DatabaseFile(directory: folder.path, parts: [owner.service, owner.key, owner.user], suffix: ".outbox"))
        }
    }
}
