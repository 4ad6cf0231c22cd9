import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// The files of a keyset, as a node of a cluster serves them. This node writes the contents of files to the shared store and reads them
/// from it; the leader decides whether a content becomes a file (rule FI-24).
struct ClusterFiles: FileKeeper {
    let relay: ClusterRelay
    let keyset: Identifier
    private let store: any ClusterStore
    private let keys: RedisStreamKeys

    /// How many seconds the store keeps a file's content while it waits for the leader's decision.
    private static let patience = 600

    init(_ relay: ClusterRelay, subscribeKey: String) {
        self.relay = relay
        keyset = Identifier(subscribeKey)
        store = relay.store
        keys = RedisStreamKeys(reader: store)
    }

    func store(
        _ file: StoredFile, content: ArraySlice<UInt8>, origin: FileOrigin, in keyset: Keyset
    ) async throws(FileRefusal) {
        let key = keys.file(self.keyset, file.id)
        var file = file
        do {
            // If the same upload form was already used, the content that the store has stays, and the new content is ignored.
            if try await !store.create(ByteBuffer(bytes: content), as: key, seconds: Self.patience) {
                file.size = try await store.length(of: key)
            }
        } catch {
            throw .notStored
        }
        let outcome = await relay.keep(file, origin, of: keyset.subscribeKey)
        switch outcome {
        case .kept: return
        case .noRoom: try await refuse(key, .noRoom)
        case .deleted: try await refuse(key, .deleted)
        case .shareUsed: try await refuse(key, .shareUsed)
        case .busy: throw .busy
        case .notKept: throw .notStored
        }
    }

    /// Deletes the content of a file that the leader has refused.
    private func refuse(_ key: StoreKey, _ refusal: FileRefusal) async throws(FileRefusal) {
        // An error is ignored, because content without a file record expires later.
        try? await store.perform(.remove(key))
        throw refusal
    }

    func file(_ id: Identifier, name: Identifier) async throws -> StoredFile? {
        let key = KeysetRecord.Key(.file, Array(id.utf8))
        guard let bytes = try await store.field(RedisMessageStore.field(key), of: keys.records(keyset)) else { return nil }
        let file = StoredFile(KeysetRecord(key, Array(bytes.readableBytesView)))
        return file.flatMap { $0.name == name ? $0 : nil }
    }

    func content(of file: StoredFile) async throws -> [UInt8]? {
        try await store.value(of: keys.file(keyset, file.id)).map { Array($0.readableBytesView) }
    }
}

/// The leader's decision about a file whose content a node has put into the store.
enum FileOutcome: UInt8, Hashable, Sendable {
    case kept = 0
    case noRoom = 1
    case busy = 2
    case notKept = 3
    case deleted = 4
    case shareUsed = 5

    init(_ refusal: FileRefusal) {
        switch refusal {
        case .noRoom: self = .noRoom
        case .busy: self = .busy
        case .notStored: self = .notKept
        case .deleted: self = .deleted
        case .shareUsed: self = .shareUsed
        }
    }
}

extension ClusterRelay {
    /// The store that the nodes share.
    var store: any ClusterStore { bus.store }

    /// Asks the leader to decide about a file whose content is in the store.
    func keep(_ file: StoredFile, _ origin: FileOrigin, of subscribeKey: String) async -> FileOutcome {
        await withCheckedContinuation { continuation in
            send(.file(file.record, origin, subscribeKey: subscribeKey), within: callLimit) { result in
                guard case .success(var answer) = result, let outcome = (answer.readInteger() as UInt8?).flatMap(FileOutcome.init)
                else { return continuation.resume(returning: .notKept) }
                continuation.resume(returning: outcome)
            }
        }
    }
}
