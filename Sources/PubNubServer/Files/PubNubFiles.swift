import Identifiers
import Logging
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage

/// The files of one keyset: their records in the store, and their contents (rules FI-1 to FI-24).
///
/// A file's content is stored before the file's record, and deleted after the record. Content without a record remains after a crash, or
/// belongs to a database that is not available at the moment. Such content is set aside when the keyset is restored.
final class PubNubFiles: FileKeeper {
    private struct State: Sendable {
        var index: FileIndex
        var deleted: DeletedFiles
        var shares = OwnerShares()
        var isSweeping = false

        /// Adds a file to the share of the address that uploads it, or subtracts it from the share of the address that deletes it. A share
        /// is half of the keyset's limit (rule PV-180).
        mutating func count(
            _ file: StoredFile, by client: String?, _ storage: Int, isRemoval: Bool = false, at now: OccupancyTime
        ) -> Bool {
            guard let client else { return true }
            let size = OwnerShares.Size(count: 1, bytes: file.size)
            return shares.add(
                isRemoval ? -size : size, to: .files, by: PubNubAccess.owner(address: client),
                share: OwnerShares.Size(count: FileIndex.maximumFiles, bytes: storage).divided(by: 2), at: now.instant)
        }
    }

    private let state: NIOLockedValueBox<State>
    private let contents: any FileContents
    private let store: any MessageStore
    private let subscribeKey: String
    private let clock: ServerClock

    /// The largest number of expired files that one sweep deletes.
    private static let filesPerSweep = 100
    /// The largest number of deletion records that one sweep removes.
    private static let deletionsPerSweep = 2_000

    /// - Parameters:
    ///   - records: the records of the keyset; records of other kinds than files are ignored.
    ///   - isComplete: whether `records` contains the records from before the start of the process.
    init(
        restoring records: [KeysetRecord], isComplete: Bool, store: any MessageStore, contents: any FileContents,
        subscribeKey: String, clock: ServerClock, logger: Logger
    ) {
        self.contents = contents
        self.store = store
        self.subscribeKey = subscribeKey
        self.clock = clock
        let now = Self.time(clock)
        let deleted = DeletedFiles(
            since: isComplete ? nil : now,
            restoring: records.compactMap { DeletedFiles.Deletion($0, restoredAt: now.instant) })
        let files = records.compactMap { StoredFile($0) }
        do {
            let found = try contents.restore(Set(files.map(\.id)), at: clock.unixSeconds())
            let present = files.filter { found?.present.contains($0.id) ?? true }
            state = NIOLockedValueBox(State(index: FileIndex(restoring: present), deleted: deleted))
            if let found { Self.report(found, missing: files.count - present.count, of: subscribeKey, to: logger) }
        } catch {
            // The store still has the records. So the files are available again after a start at which the contents can be listed.
            state = NIOLockedValueBox(State(index: FileIndex(), deleted: deleted))
            logger.error(
                """
                The directory with the contents of uploaded files cannot be read, so no file is served. Make it readable for the user that \
                runs the server, then restart the server.
                """,
                metadata: ["keyset": "\(subscribeKey)"])
        }
    }

    /// Logs how many records have no content, and how many contents have no record.
    private static func report(_ found: RestoredContents, missing: Int, of subscribeKey: String, to logger: Logger) {
        let keyset: Logger.Metadata = ["keyset": "\(subscribeKey)"]
        if found.setAside > 0 {
            logger.warning(
                """
                Uploaded files that are not in the database: \(found.setAside). Their contents were moved to \(found.asideDirectory). They \
                come back when the server starts with a database that has them, and are deleted after 30 days.
                """, metadata: keyset)
        }
        if found.returned > 0 {
            logger.notice(
                "Uploaded files that are in the database again: \(found.returned). Their contents were moved back.",
                metadata: keyset)
        }
        if found.deleted > 0 {
            logger.notice(
                "Deleted contents of uploaded files that were not in the database for 30 days: \(found.deleted).",
                metadata: keyset)
        }
        if missing > 0 {
            logger.warning(
                """
                Uploaded files whose content is missing: \(missing). They are not shown until the server starts with their contents in the \
                directory `files` of the data directory.
                """, metadata: keyset)
        }
    }

    /// The size limit of all files together in bytes: the limit of the keyset or of the contents' storage, whichever is lower.
    private func storage(_ keyset: Keyset) -> Int { min(keyset.fileStorage, contents.maximumBytes) }

    private static func time(_ clock: ServerClock) -> OccupancyTime {
        OccupancyTime(instant: clock.monotonic(), unixSeconds: clock.unixSeconds())
    }

    // MARK: Reading

    func page(of channel: Identifier, after start: FilePlace?, limit: Int) -> (files: [StoredFile], next: FilePlace?) {
        state.withLockedValue { $0.index.page(of: channel, after: start, limit: limit) }
    }

    /// The file with this id and name; nil when there is none.
    func file(_ id: Identifier, name: Identifier) -> StoredFile? {
        state.withLockedValue { $0.index[id] }.flatMap { $0.name == name ? $0 : nil }
    }

    func content(of file: StoredFile) async throws -> [UInt8]? { try await contents.content(of: file.id) }

    /// Whether the limits allow a file of this size (in bytes) at the moment.
    func hasRoom(for size: Int, in keyset: Keyset) -> Bool {
        state.withLockedValue { $0.index.hasRoom(for: size, storage: storage(keyset)) }
    }

    // MARK: Changing

    func store(
        _ file: StoredFile, content: ArraySlice<UInt8>, origin: FileOrigin, in keyset: Keyset
    ) async throws(FileRefusal) {
        let storage = storage(keyset)
        let now = Self.time(clock)
        let beginning: Result<FileIndex.Beginning, FileRefusal> = state.withLockedValue { state in
            if state.index[file.id] == nil, state.deleted.refuse(file.id, issued: origin.issued, at: now) {
                return .failure(.deleted)
            }
            let beginning = state.index.begin(file, storage: storage)
            guard beginning != .begun || state.count(file, by: origin.client, storage, at: now) else {
                state.index.abandon(file.id)
                return .failure(.shareUsed)
            }
            return .success(beginning)
        }
        switch try beginning.get() {
        case .known: return
        case .busy: throw .busy
        case .full: throw .noRoom
        case .begun: break
        }
        let giveUp = { [state] in
            state.withLockedValue { state in
                state.index.abandon(file.id)
                _ = state.count(file, by: origin.client, storage, isRemoval: true, at: now)
            }
        }
        do {
            try await contents.put(content, for: file.id)
        } catch {
            giveUp()
            throw .notStored
        }
        guard await commit([.put(file.record)]) else {
            // An error is ignored: the content then stays without a record until the next start, which sets it aside.
            try? await contents.remove(file.id)
            giveUp()
            throw .notStored
        }
        state.withLockedValue { $0.index.finish(file) }
    }

    /// Deletes a file, and returns once the store has deleted its record.
    ///
    /// - Parameter client: the client address from whose share the file is subtracted; nil to subtract it from none.
    /// - Returns: false when the file could not be deleted and still exists.
    func delete(_ file: StoredFile, by client: String? = nil, in keyset: Keyset) async -> Bool {
        let begins: Bool? = state.withLockedValue { state in
            state.index[file.id].map { _ in state.index.beginRemoval(of: file.id) }
        }
        guard let begins else { return true }
        guard begins else { return false }
        let now = Self.time(clock)
        // The deletion record replaces the file's record in one change, so that either both are durable or neither is (rule FI-25).
        let isForgotten = await commit([.put(DeletedFiles.Deletion(id: file.id, time: now).record)])
        let dropped: [Identifier] = state.withLockedValue { state in
            var dropped: [Identifier] = []
            if isForgotten {
                dropped = state.deleted.insert(file.id, at: now)
                _ = state.count(file, by: client, storage(keyset), isRemoval: true, at: now)
            }
            state.index.endRemoval(of: file.id, isForgotten: isForgotten)
            return dropped
        }
        guard isForgotten else { return false }
        forget(dropped)
        // An error is ignored: the content has no record any more, so no request finds it, and the next start sets it aside.
        try? await contents.remove(file.id)
        return true
    }

    private func commit(_ changes: [KeysetRecordChange]) async -> Bool {
        await withCheckedContinuation { continuation in
            store.commit(changes, with: [], application: subscribeKey) { continuation.resume(returning: $0 == nil) }
        }
    }

    /// Removes deletion records. If the store cannot remove a record, the next start restores it and removes it later.
    private func forget(_ ids: [Identifier]) {
        guard !ids.isEmpty else { return }
        store.commit(ids.map { .remove(StoredFile.key(of: $0)) }, with: [], application: subscribeKey) { _ in }
    }

    /// Deletes files that have expired, and removes deletion records whose upload forms have expired.
    ///
    /// - Parameter now: the time in units of 100 ns since 1970.
    func sweep(_ keyset: Keyset, at now: UInt64) {
        let time = Self.time(clock)
        forget(state.withLockedValue { $0.deleted.sweep(limit: Self.deletionsPerSweep, at: time) })
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
            for file in files { _ = await delete(file, in: keyset) }
            state.withLockedValue { $0.isSweeping = false }
        }
    }
}
