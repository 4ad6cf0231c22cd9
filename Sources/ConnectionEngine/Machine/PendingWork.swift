/// The running timers, at most one of each kind. Starting a second timer of a kind replaces the first.
@usableFromInline struct TimerTable: Sendable {
    @usableFromInline var generation: UInt64 = 0
    @usableFromInline var running: [TimerID.Kind: UInt64] = [:]

    @inlinable init() {}

    mutating func start(_ kind: TimerID.Kind) -> TimerID {
        generation += 1
        running[kind] = generation
        return TimerID(kind: kind, generation: generation)
    }

    mutating func cancel(_ kind: TimerID.Kind) -> TimerID? {
        guard let generation = running.removeValue(forKey: kind) else { return nil }
        return TimerID(kind: kind, generation: generation)
    }

    func isRunning(_ kind: TimerID.Kind) -> Bool {
        running[kind] != nil
    }

    /// Removes a timer that has fired. Returns whether the timer was running: false for a timer that was cancelled or replaced.
    mutating func accept(_ timer: TimerID) -> Bool {
        guard running[timer.kind] == timer.generation else { return false }
        running[timer.kind] = nil
        return true
    }

    /// Stops every timer for whose kind `belongs` returns true. Returns the stopped timers, oldest first, so that the order does not depend
    /// on hashing.
    mutating func cancelAll(where belongs: (TimerID.Kind) -> Bool) -> [TimerID] {
        let stopped = running.filter { belongs($0.key) }.map { TimerID(kind: $0.key, generation: $0.value) }
        for timer in stopped { running[timer.kind] = nil }
        return stopped.sorted { $0.generation < $1.generation }
    }

    var count: Int { running.count }
}

/// The running jobs of the current session, and the number of the last job that was started.
@usableFromInline struct JobTable: Sendable {
    @usableFromInline var last: UInt64 = 0
    @usableFromInline var running: Set<JobID> = []

    @inlinable init() {}

    mutating func start() -> JobID {
        last += 1
        running.insert(JobID(last))
        return JobID(last)
    }

    /// Removes a job that has ended. Returns whether it was still running.
    mutating func accept(_ job: JobID) -> Bool {
        running.remove(job) != nil
    }

    /// Removes all running jobs and returns whether there were any.
    mutating func forgetAll() -> Bool {
        defer { running.removeAll() }
        return !running.isEmpty
    }
}

/// The state that both the machine and its session change: running timers and jobs, unanswered requests, and the random number generator.
///
/// It is one value, so that it can be moved into a call of the session and back without a copy.
@usableFromInline struct PendingWork: Sendable {
    @usableFromInline var timers: TimerTable
    @usableFromInline var jobs: JobTable
    @usableFromInline var pending: Set<RequestID>
    @usableFromInline var random: SeededRandom

    @inlinable init(random: SeededRandom) {
        timers = TimerTable()
        jobs = JobTable()
        pending = []
        self.random = random
    }
}
