import Identifiers
import RealtimeHub

/// Why a file was not stored.
enum FileRefusal: Error, Hashable, Sendable {
    case noRoom
    case notStored
    /// Another request is storing the same file, and nobody knows yet whether it will succeed.
    case busy
    /// The file was deleted after its upload form was issued.
    case deleted
    /// The address has added as much as one may (rule PV-180).
    case shareUsed
}

/// The origin of a file.
struct FileOrigin: Hashable, Sendable {
    /// When the upload form was issued, in seconds since 1970.
    var issued: Int
    /// The address that uploads the file; nil when it is not known or not limited. The form says nothing of a user.
    var client: String?
}

/// Stores the files of a keyset and finds them by their ids, in one process or in a cluster.
protocol FileKeeper: Sendable {
    /// Stores a file; returns once it survives the end of the process. A file that is stored already stays unchanged.
    func store(
        _ file: StoredFile, _ content: ArraySlice<UInt8>, _ origin: FileOrigin, in keyset: Keyset
    ) async throws(FileRefusal)
    /// A file with this id, if it has the name; nil otherwise.
    func file(_ id: Identifier, name: Identifier) async throws -> StoredFile?
    /// Nil for a content that does not exist.
    func content(of file: StoredFile) async throws -> [UInt8]?
}
