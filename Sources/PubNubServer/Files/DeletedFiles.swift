import DequeModule
import Identifiers
import ServerStorage
import WireCoding

/// Files that were deleted while the forms that uploaded them may still be valid: a form must not bring its file back (rule FI-25). A pure
/// value.
struct DeletedFiles: Sendable {
    /// The largest number of deleted files that are remembered.
    static let maximum = 100_000

    struct Deletion: Hashable, Sendable {
        var id: Identifier
        var time: OccupancyTime
    }

    private var times: [Identifier: OccupancyTime] = [:]
    /// Deletions, oldest first.
    private var order = Deque<Deletion>()
    /// Deletions before this time may be unrecorded, so forms that were issued before it are refused; nil when all deletions are
    /// recorded whose forms may still be valid.
    private var horizon: OccupancyTime?
    private let maximum: Int

    /// - Parameters:
    ///   - start: the time since when deletions are recorded; nil when `restored` contains the earlier ones.
    ///   - restored: deletions from the store.
    init(since start: OccupancyTime?, restoring restored: [Deletion] = [], maximum: Int = DeletedFiles.maximum) {
        horizon = start
        self.maximum = maximum
        for deletion in restored.sorted(by: { ($0.time.unixSeconds, $0.id) < ($1.time.unixSeconds, $1.id) }) {
            guard times.updateValue(deletion.time, forKey: deletion.id) == nil else { continue }
            order.append(deletion)
        }
        // Older deletions may have been removed for lack of room before the process ended. Their forms have expired if the form of
        // any of these has.
        if order.count >= maximum, let oldest = order.first { forget(before: oldest.time) }
    }

    var count: Int { times.count }

    /// Records the deletion of a file until its upload form has expired.
    ///
    /// - Returns: the files whose deletions were removed to make room.
    mutating func insert(_ id: Identifier, at now: OccupancyTime) -> [Identifier] {
        guard times[id] == nil else { return [] }
        var forgotten: [Identifier] = []
        while times.count >= maximum, let oldest = order.popFirst() {
            times[oldest.id] = nil
            forget(before: oldest.time)
            forgotten.append(oldest.id)
        }
        times[id] = now
        order.append(Deletion(id: id, time: now))
        return forgotten
    }

    /// Sets the horizon to the end of the second of `time`, so that forms that were issued in this second are refused too.
    private mutating func forget(before time: OccupancyTime) {
        horizon = OccupancyTime(instant: time.instant, unixSeconds: time.unixSeconds.clampedAdding(1))
    }

    /// Whether an upload form for a missing file is refused, because the file was deleted or may have been.
    ///
    /// - Parameter issued: when the form was issued, in seconds since 1970.
    func refuse(_ id: Identifier, issued: Int, at now: OccupancyTime) -> Bool {
        if let time = times[id], !Self.isOver(time, at: now) { return true }
        guard let horizon else { return false }
        // Forms that were issued before the horizon have expired once the lifetime of a form has passed on the monotonic clock. The
        // wall clock may be set back meanwhile.
        return issued < horizon.unixSeconds && now.instant.since(horizon.instant) <= .seconds(FileTicket.uploadLifetime)
    }

    /// Removes deletions of files whose upload forms have expired according to both the monotonic and the wall clock.
    ///
    /// - Returns: up to `limit` of these files.
    mutating func sweep(limit: Int, at now: OccupancyTime) -> [Identifier] {
        var forgotten: [Identifier] = []
        while forgotten.count < limit, let first = order.first, Self.isOver(first.time, at: now) {
            times[first.id] = nil
            order.removeFirst()
            forgotten.append(first.id)
        }
        return forgotten
    }

    private static func isOver(_ time: OccupancyTime, at now: OccupancyTime) -> Bool {
        now.instant.since(time.instant) > .seconds(FileTicket.uploadLifetime)
            && now.unixSeconds.clampedSubtracting(time.unixSeconds) > FileTicket.uploadLifetime
    }
}

// MARK: - Records

extension DeletedFiles.Deletion {
    /// The record that replaces the file's record in the store.
    var record: KeysetRecord {
        KeysetRecord(StoredFile.key(of: id), JSONBody.object { $0.member("deleted", time.unixSeconds) })
    }

    /// Reads a deletion from a stored record; nil for a record of another kind, for the record of a file, and for a malformed record.
    ///
    /// - Parameter start: the time at which the record is restored. From then on the deletion is kept for the lifetime of an upload
    ///   form.
    init?(_ record: KeysetRecord, restoredAt start: MonotonicInstant) {
        guard record.key.kind == .file, let id = String(validating: record.key.name, as: UTF8.self),
            let value = try? JSONText(bytes: record.value), let deleted = value["deleted"]?.integer
        else { return nil }
        self.init(id: Identifier(id), time: OccupancyTime(instant: start, unixSeconds: deleted))
    }
}
