import Identifiers
import NIOConcurrencyHelpers
import RealtimeHub
import ServerRuntime

/// The files of one keyset: what its store knows of them, and their contents (rules FI-1 to FI-24).
///
/// A content is kept before its record is, and forgotten after it, so a record whose content is missing, or the reverse, is what a crash
/// left behind: both are taken away when the keyset is restored.
final class PubNubFiles: FileKeeper {
    private struct State: Sendable {
        var index: FileIndex
        var isSweeping = false
    }

    private let state: NIOLockedValueBox<State>
    private let contents: any FileContents
    private let store: any MessageStore
    private let subscribeKey: String

    /// How many files that are too old a sweep deletes at most.
    private static let filesPerSweep = 100

    /// - Parameter records: of the keyset; those of other kinds are left out.
    init(restoring records: [KeysetRecord], store: any MessageStore, contents: any FileContents, subscribeKey: String) {
        self.contents = contents
        self.store = store
        self.subscribeKey = subscribeKey
        let files = records.compactMap { StoredFile($0) }
        guard let listed = try? contents.ids() as Set<Identifier>?? else {
            // Contents that cannot be listed are not there, and their records stay for a server that can.
            state = NIOLockedValueBox(State(index: FileIndex()))
            return
        }
        state = NIOLockedValueBox(State(index: FileIndex(restoring: files.filter { listed?.contains($0.id) ?? true })))
        guard let present = listed else { return }
        forget(files.filter { !present.contains($0.id) }, present.subtracting(files.map(\.id)))
    }

    /// Takes away what has lost its other half.
    private func forget(_ records: [StoredFile], _ orphans: Set<Identifier>) {
        var left = records[...]
        while !left.isEmpty {
            let piece = left.prefix(200)
            left = left[piece.endIndex...]
            store.commit(piece.map { .remove($0.key) }, with: [], application: subscribeKey) { _ in }
        }
        guard !orphans.isEmpty else { return }
        Task { [contents] in for id in orphans { try? await contents.remove(id) } }
    }

    /// What all files may have together, as the keyset says and as there is room for.
    private func storage(_ keyset: Keyset) -> Int { min(keyset.fileStorage, contents.maximumBytes) }

    // MARK: Reading

    func page(of channel: Identifier, after start: FilePlace?, limit: Int) -> (files: [StoredFile], next: FilePlace?) {
        state.withLockedValue { $0.index.page(of: channel, after: start, limit: limit) }
    }

    /// A file with this id, if it has the name; nil otherwise.
    func file(_ id: Identifier, name: Identifier) -> StoredFile? {
        state.withLockedValue { $0.index[id] }.flatMap { $0.name == name ? $0 : nil }
    }

    func content(of file: StoredFile) async throws -> [UInt8]? { try await contents.content(of: file.id) }

    /// Whether a file of this size could be stored at the moment.
    func hasRoom(for size: Int, in keyset: Keyset) -> Bool {
        state.withLockedValue { $0.index.hasRoom(for: size, storage: storage(keyset)) }
    }

    // MARK: Changing

    /// Stores a file; returns once it survives the end of the process. One that is there already is left as it is.
    func store(_ file: StoredFile, _ content: ArraySlice<UInt8>, in keyset: Keyset) async throws(FileRefusal) {
        let storage = storage(keyset)
        switch state.withLockedValue({ $0.index.begin(file, storage: storage) }) {
        case .known: return
        case .busy: throw .busy
        case .full: throw .noRoom
        case .begun: break
        }
        do {
            try await contents.put(content, for: file.id)
        } catch {
            state.withLockedValue { $0.index.abandon(file.id) }
            throw .notStored
        }
        guard await commit(.put(file.record)) else {
            try? await contents.remove(file.id)
            state.withLockedValue { $0.index.abandon(file.id) }
            throw .notStored
        }
        state.withLockedValue { $0.index.finish(file) }
    }

    /// Deletes a file; returns once the store has forgotten it.
    ///
    /// - Returns: false when it could not be deleted, and is still there.
    func delete(_ file: StoredFile) async -> Bool {
        let begins: Bool? = state.withLockedValue { state in
            state.index[file.id].map { _ in state.index.beginRemoval(of: file.id) }
        }
        guard let begins else { return true }
        guard begins else { return false }
        let isForgotten = await commit(.remove(file.key))
        state.withLockedValue { $0.index.endRemoval(of: file.id, isForgotten: isForgotten) }
        guard isForgotten else { return false }
        // Without its record nobody finds it, and what is left of it goes at the next start.
        try? await contents.remove(file.id)
        return true
    }

    private func commit(_ change: KeysetRecordChange) async -> Bool {
        await withCheckedContinuation { continuation in
            store.commit([change], with: [], application: subscribeKey) { continuation.resume(returning: $0 == nil) }
        }
    }

    /// Deletes files that have been there for as long as the keyset says.
    ///
    /// - Parameter now: in units of 100 ns since 1970.
    func sweep(_ keyset: Keyset, at now: UInt64) {
        guard let lifetime = keyset.fileLifetime else { return }
        let age = UInt64(clamping: lifetime.components.seconds).multipliedReportingOverflow(by: TimetokenClock.ticksPerSecond)
        guard !age.overflow, age.partialValue < now else { return }
        let files = state.withLockedValue { state -> [StoredFile] in
            guard !state.isSweeping else { return [] }
            let ids = state.index.expired(before: now - age.partialValue, count: Self.filesPerSweep)
            state.isSweeping = !ids.isEmpty
            return ids.compactMap { state.index[$0] }
        }
        guard !files.isEmpty else { return }
        Task {
            for file in files { _ = await delete(file) }
            state.withLockedValue { $0.isSweeping = false }
        }
    }
}
