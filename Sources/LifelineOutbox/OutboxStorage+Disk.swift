import DatabaseFile
import Foundation
import Lifeline
import TransportCommon

extension OutboxStorage {
    /// On disk, in one SQLite file for each service, application and user: messages outlast the process.
    ///
    /// The file is readable for its owner only and, on Apple platforms, not part of backups. What has been sent is overwritten. It is not encrypted
    /// beyond what the system does with files of an app. One outbox at a time may have it open; do not put it into a folder that an app shares
    /// with its extensions, since the system ends an app that holds a lock there while it is suspended.
    ///
    /// A file that is damaged, or that a newer version wrote, is put aside, and the outbox begins empty: `Outbox.isRecreated` is true then.
    ///
    /// - Parameter folder: where the file is; made if need be. Nil for `lifeline/outbox` in the user's folder for application data; on tvOS that
    ///   is in Caches, which the system may empty while the app does not run.
    public static func disk(_ folder: URL? = nil) -> OutboxStorage {
        .durable { owner throws(LifelineError) in
            guard let folder = folder ?? ApplicationFolder.url("outbox") else {
                throw LifelineError(
                    .storageFailed, "This system has no folder for application data. Name a folder, as in .disk(folder).")
            }
            return try await SQLiteOutboxStore.open(
                DatabaseFile(directory: folder.path, parts: [owner.service, owner.key, owner.user], suffix: ".outbox"))
        }
    }
}
