import Identifiers
import RealtimeHub

/// Why a file was not stored.
enum FileRefusal: Error, Hashable, Sendable {
    case noRoom
    case notStored
    /// Another request is storing the same file, and nobody knows yet whether it will succeed.
    case busy
}

/// Keeps the files of a keyset and finds them by their ids, whoever decides about them.
protocol FileKeeper: Sendable {
    /// Stores a file; returns once it survives the end of the process. One that is there already is left as it is.
    func store(_ file: StoredFile, _ content: ArraySlice<UInt8>, in keyset: Keyset) async throws(FileRefusal)
    /// A file with this id, if it has the name; nil otherwise.
    func file(_ id: Identifier, name: Identifier) async throws -> StoredFile?
    /// Nil for a content that is not there.
    func content(of file: StoredFile) async throws -> [UInt8]?
}
