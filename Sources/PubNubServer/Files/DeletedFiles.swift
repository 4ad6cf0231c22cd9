import DequeModule
import Identifiers
import ServerStorage
import WireCoding

/// The files that were deleted while the upload form of the file may still be valid. A second upload with the same form must not restore
/// the file (rule FI-25). A pure value.
struct DeletedFiles: Sendable {
    /// The largest number of recorded deletions. At this number, a new deletion replaces the oldest one.
    static let maximum = 100_000

    struct Deletion: Hashable, Sendable {
        var id: Identifier
        var time: OccupancyTime
    }

    private var times: [Identifier: OccupancyTime] = [:]
    /// Deletions, oldest first.
    private var order = Deque<Deletion>()
    /// Deletions before this time may be missing in the records. So upload forms that were issued before this time are refused. Nil when
    /// all deletions are recorded whose upload forms may still be valid.
    private var horizon: OccupancyTime?
    private let maximum: Int

    /// - Parameters:
    ///   - start: the time since when deletions are recorded; nil when `restored` contains the earlier deletions.
    ///   - restored: deletions from the store.
    init(since start: OccupancyTime?, restoring restored: [Deletion] = [], maximum: Int = DeletedFiles.maximum) {
        horizon = start
        self.maximum = maximum
        for deletion in restored.sorted(by: { ($0.time.unixSeconds, $0.id) < ($1.time.unixSeconds, $1.id) }) {
            guard times.updateValue(deletion.time, forKey: deletion.id) == nil else { continue }
            order.append(deletion)
        }
        // At the maximum, deletions before the oldest restored one may have been removed to make room. So upload forms that were issued
        // before this deletion are refused.
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

    /// Upload forms that were issued up to the end of the second of `time` are refused from now on.
    private mutating func forget(before time: OccupancyTime) {
        horizon = OccupancyTime(instant: time.instant, unixSeconds: time.unixSeconds.clampedAdding(1))
    }

    /// Whether to refuse an upload form for a file that does not exist, because the file was deleted or may have been deleted.
    ///
    /// - Parameter issued: when the form was issued, in seconds since 1970.
    func refuse(_ id: Identifier, issued: Int, at now: OccupancyTime) -> Bool {
        if let time = times[id], !Self.isOver(time, at: now) { return true }
        guard let horizon else { return false }
        // A form that was issued before the horizon has expired when the lifetime of a form has passed since the horizon. This is measured
        // with the monotonic clock, which, unlike the wall clock, is never set back.
        return issued < horizon.unixSeconds && now.instant.since(horizon.instant) <= .seconds(FileTicket.uploadLifetime)
    }

    /// Removes at most `limit` deletions whose upload forms have expired by the monotonic clock and by the wall clock.
    ///
    /// - Returns: the files of the removed deletions.
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
    /// The record of the deletion, which replaces the file's record in the store.
    var record: KeysetRecord {
        KeysetRecord(StoredFile.key(of: id), JSONBody.object { $0.member("deleted", time.unixSeconds) })
    }

    /// Reads a deletion from a stored record; nil for a record of another kind, for the record of a file, and for a malformed record.
    ///
    /// - Parameter start: when the record is restored. From then on, the deletion is kept for the lifetime of an upload form.
    init?(_ record: KeysetRecord, restoredAt start: MonotonicInstant) {
        guard record.key.kind == .file, let id = String(validating: record.key.name, as: UTF8.self),
            let value = try? JSONText(bytes: record.value), let deleted = value["deleted"]?.integer
        else { return nil }
        self.init(id: Identifier(id), time: OccupancyTime(instant: start, unixSeconds: deleted))
    }
}
