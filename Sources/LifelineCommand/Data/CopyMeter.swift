import LifelineServer

/// Computes the rate of a copy and decides when its next progress line is due: at most once per second.
struct CopyMeter: Sendable {
    private var phase: String?
    /// The time and the number of rows at the beginning of the copy's present phase.
    private var start: (time: Duration, rows: Int) = (.zero, 0)
    private var last = Duration.zero

    /// The progress line for a copy of rows.
    ///
    /// - Parameter time: the time since the copy began.
    /// - Returns: nil when no line is due.
    mutating func line(for progress: DataCopy.Progress, at time: Duration) -> String? {
        guard let rate = rate(progress.phase.rawValue, progress.rows, at: time) else { return nil }
        let share = progress.total > 0 ? min(100, Double(progress.rows) / Double(progress.total) * 100) : 100
        return
            "\(progress.phase.rawValue) \(progress.table.title): \(progress.rows) of \(progress.total) rows (\(Int(share)) %), "
            + "\(rate) rows/s"
    }

    /// The progress line for work whose total is unknown; nil when no line is due.
    ///
    /// - Parameters:
    ///   - work: the kind of work, such as `reading Redis`.
    ///   - count: how many units are done.
    ///   - unit: the plural of the unit, such as `rows`.
    ///   - time: the time since the copy began.
    mutating func line(_ work: String, _ count: Int, of unit: String, at time: Duration) -> String? {
        rate(work, count, at: time).map { "\(work): \(count) \(unit), \($0) \(unit)/s" }
    }

    /// - Returns: how many units per second were done since the present phase of the copy began; nil when no progress line is due.
    private mutating func rate(_ phase: String, _ count: Int, at time: Duration) -> Int? {
        if self.phase != phase {
            self.phase = phase
            (start, last) = ((time, count), time)
            return nil
        }
        guard time - last >= .seconds(1) else { return nil }
        last = time
        let seconds = (time - start.time) / .seconds(1)
        return seconds > 0 ? Int((Double(count - start.rows) / seconds).rounded()) : 0
    }
}
