import LifelineServer

/// Decides when a line about a copy's progress is due, at most one a second, and computes the rate.
struct CopyMeter: Sendable {
    private var phase: String?
    /// The time and the number of rows at the beginning of the phase.
    private var start: (time: Duration, rows: Int) = (.zero, 0)
    private var last = Duration.zero

    /// - Parameter time: since the copy began.
    /// - Returns: nil when no line is due.
    mutating func line(for progress: DataCopy.Progress, at time: Duration) -> String? {
        guard let rate = rate(progress.phase.rawValue, progress.rows, at: time) else { return nil }
        let share = progress.total > 0 ? min(100, Double(progress.rows) / Double(progress.total) * 100) : 100
        return
            "\(progress.phase.rawValue) \(progress.table.title): \(progress.rows) of \(progress.total) rows (\(Int(share)) %), "
            + "\(rate) rows/s"
    }

    /// A line about work of which the end is not known.
    ///
    /// - Parameters:
    ///   - work: what is done.
    ///   - count: how much is done.
    ///   - unit: what is counted.
    mutating func line(_ work: String, _ count: Int, of unit: String, at time: Duration) -> String? {
        rate(work, count, at: time).map { "\(work): \(count) \(unit), \($0) \(unit)/s" }
    }

    /// - Returns: how much is done in a second; nil when no line is due.
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
