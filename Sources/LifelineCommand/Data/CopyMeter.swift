import LifelineServer

/// Decides when a line about a copy's progress is due, at most one a second, and computes the rate.
struct CopyMeter: Sendable {
    private var phase: DataCopy.Progress.Phase?
    /// The time and the number of rows at the beginning of the phase.
    private var start: (time: Duration, rows: Int) = (.zero, 0)
    private var last = Duration.zero

    /// - Parameter time: since the copy began.
    /// - Returns: nil when no line is due.
    mutating func line(for progress: DataCopy.Progress, at time: Duration) -> String? {
        if phase != progress.phase {
            phase = progress.phase
            (start, last) = ((time, progress.rows), time)
            return nil
        }
        guard time - last >= .seconds(1) else { return nil }
        last = time
        let seconds = (time - start.time) / .seconds(1)
        let rate = seconds > 0 ? Double(progress.rows - start.rows) / seconds : 0
        let share = progress.total > 0 ? min(100, Double(progress.rows) / Double(progress.total) * 100) : 100
        return
            "\(progress.phase.rawValue) \(progress.table.title): \(progress.rows) of \(progress.total) rows (\(Int(share)) %), "
            + "\(Int(rate.rounded())) rows/s"
    }
}
