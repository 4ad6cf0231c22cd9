import DequeModule
import Identifiers
import RealtimeHub

/// Files that were deleted while the forms that uploaded them may still be valid: a form must not bring its file back (rule FI-25). A pure
/// value.
struct DeletedFiles: Sendable {
    /// So many are remembered.
    static let maximum = 100_000

    private struct Deletion {
        var id: Identifier
        var time: OccupancyTime
    }

    private var ids: Set<Identifier> = []
    private var order = Deque<Deletion>()
    /// What was deleted before is not remembered.
    private var horizon: OccupancyTime
    private let maximum: Int

    /// - Parameter start: since when deletions are remembered.
    init(since start: OccupancyTime, maximum: Int = DeletedFiles.maximum) {
        horizon = start
        self.maximum = maximum
    }

    var count: Int { ids.count }

    /// Remembers a file until its form has ended.
    mutating func insert(_ id: Identifier, at now: OccupancyTime) {
        forget(at: now)
        if ids.count >= maximum, let oldest = order.popFirst() {
            ids.remove(oldest.id)
            horizon = oldest.time
        }
        if ids.insert(id).inserted { order.append(Deletion(id: id, time: now)) }
    }

    /// Whether a form of a file that is not there is refused: the file was deleted, or nobody knows whether it was.
    ///
    /// - Parameter issued: when the form was given out, in seconds since 1970.
    mutating func refuse(_ id: Identifier, issued: Int, at now: OccupancyTime) -> Bool {
        forget(at: now)
        if ids.contains(id) { return true }
        // Every form of before has ended by its own time once it cannot be valid any more. The clock may be set back meanwhile.
        return issued < horizon.unixSeconds && now.instant.since(horizon.instant) <= .seconds(FileTicket.uploadLifetime)
    }

    /// Forgets files whose forms have ended, by either clock.
    private mutating func forget(at now: OccupancyTime) {
        while let first = order.first, now.instant.since(first.time.instant) > .seconds(FileTicket.uploadLifetime),
            now.unixSeconds - first.time.unixSeconds > FileTicket.uploadLifetime
        {
            ids.remove(first.id)
            order.removeFirst()
        }
    }
}
