import Identifiers
import ServerStorage

/// Why a file was not stored.
enum FileRefusal: Error, Hashable, Sendable {
    case noRoom
    case notStored
    /// Another request is storing the same file, and its outcome is not known yet.
    case busy
    /// The file was deleted after its upload form was issued.
    case deleted
    /// The address has used up its share (rule PV-180).
    case shareUsed
}

/// The origin of a file.
struct FileOrigin: Hashable, Sendable {
    /// When the upload form was issued, in seconds since 1970.
    var issued: Int
    /// The address that uploads the file; nil when it is not known or not limited. The form does not name a user.
    var client: String?
}

/// Stores the files of a keyset and finds them by their ids, in one process or in a cluster.
protocol FileKeeper: Sendable {
    /// Stores a file; returns once the file is durable. A file that is stored already stays unchanged.
    func store(
        _ file: StoredFile, _ content: ArraySlice<UInt8>, _ origin: FileOrigin, in keyset: Keyset
    ) async throws(FileRefusal)
    /// The file with this id and name; nil when there is none.
    func file(_ id: Identifier, name: Identifier) async throws -> StoredFile?
    /// The content of a file; nil when it does not exist.
    func content(of file: StoredFile) async throws -> [UInt8]?
}
