/// The timers that are running, by kind. Starting a kind again supersedes the older timer.
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

    /// Accepts a timer that has fired: whether it is the current one of its kind, which is not running any more afterwards.
    mutating func accept(_ timer: TimerID) -> Bool {
        guard running[timer.kind] == timer.generation else { return false }
        running[timer.kind] = nil
        return true
    }

    /// Stops every timer for which `belongs` is true, oldest first, so that the order does not depend on hashing.
    mutating func cancelAll(where belongs: (TimerID.Kind) -> Bool) -> [TimerID] {
        let stopped = running.filter { belongs($0.key) }.map { TimerID(kind: $0.key, generation: $0.value) }
        for timer in stopped { running[timer.kind] = nil }
        return stopped.sorted { $0.generation < $1.generation }
    }

    var count: Int { running.count }
}

/// The numbers of jobs, and the running jobs.
@usableFromInline struct JobTable: Sendable {
    @usableFromInline var last: UInt64 = 0
    @usableFromInline var running: Set<JobID> = []

    @inlinable init() {}

    mutating func start() -> JobID {
        last += 1
        running.insert(JobID(last))
        return JobID(last)
    }

    /// Accepts the end of a job: whether it was still running. It is not any more afterwards.
    mutating func accept(_ job: JobID) -> Bool {
        running.remove(job) != nil
    }

    /// Removes all running jobs and returns whether there were any.
    mutating func forgetAll() -> Bool {
        defer { running.removeAll() }
        return !running.isEmpty
    }
}

/// The state that the machine and its session both change: running timers and jobs, unanswered requests, the random numbers.
///
/// One value, so that it moves into a session's call and back without a copy.
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
