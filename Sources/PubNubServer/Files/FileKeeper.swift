import Identifiers
import ServerStorage

/// Why a file was not stored.
enum FileRefusal: Error, Hashable, Sendable {
    case noRoom
    case notStored
    /// Another request is storing the same file, and has not ended yet.
    case busy
    /// The file was deleted after its upload form was issued.
    case deleted
    /// The client address that uploads the file has used up its share of the keyset's storage (rule PV-180).
    case shareUsed
}

/// The upload request from which a file comes.
struct FileOrigin: Hashable, Sendable {
    /// When the upload form was issued, in seconds since 1970.
    var issued: Int
    /// The IP address of the client that uploads the file; nil when the address is unknown or not limited. The address stands for the user,
    /// because upload forms name no user.
    var client: String?
}

/// Stores the files of a keyset and finds them by their ids. One implementation is for a single process, one for a cluster.
protocol FileKeeper: Sendable {
    /// Stores a file, and returns once the file is durable. If a file with the same id is already stored, that file stays unchanged.
    func store(
        _ file: StoredFile, content: ArraySlice<UInt8>, origin: FileOrigin, in keyset: Keyset
    ) async throws(FileRefusal)
    /// The file with this id and name; nil when there is none.
    func file(_ id: Identifier, name: Identifier) async throws -> StoredFile?
    /// The content of a file; nil when it does not exist.
    func content(of file: StoredFile) async throws -> [UInt8]?
}
