import ClientRuntime
import EngineRuntime
import NIOConcurrencyHelpers

/// Writes the changes of an outbox to its store, in order and one transaction at a time. Changes that arrive during a transaction are
/// written together in the next one.
final class OutboxWriter: Sendable {
    private struct Job: Sendable {
        var change: OutboxChange
        var completion: @Sendable (LifelineError?) -> Void
    }

    private struct State {
        var jobs = CoalescingQueue<[Job]>()
        /// The callers of `waitUntilIdle()`, which wait until everything is written.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let store: any OutboxStore
    private let tasks: TaskStarter
    private let state = NIOLockedValueBox(State())

    init(store: any OutboxStore, tasks: TaskStarter) {
        self.store = store
        self.tasks = tasks
    }

    /// Enqueues a change.
    ///
    /// - Parameter completion: called once, with nil when the change is on disk and with the error when writing has failed. Completions are
    ///   called in the order of the changes.
    func write(_ change: OutboxChange, completion: @escaping @Sendable (LifelineError?) -> Void) {
        let isFirst = state.withLockedValue { $0.jobs.append(Job(change: change, completion: completion)) }
        // The task keeps the writer alive until everything is written, even if the outbox is released in the meantime.
        if isFirst { _ = tasks.start { [self] in await drain() } }
    }

    /// Returns when no change is left to write.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLockedValue { state in
                if state.jobs.isAtWork { state.waiters.append(continuation) }
                return !state.jobs.isAtWork
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Closes the store. Must be called only once, when no change is left to write.
    func close(completion: @escaping @Sendable () -> Void) {
        _ = tasks.start { [store] in
            await store.close()
            completion()
        }
    }

    private func drain() async {
        while let jobs = takeJobs() {
            for (job, error) in await write(jobs) { job.completion(error) }
        }
    }

    private func takeJobs() -> [Job]? {
        let (jobs, waiters) = state.withLockedValue { state -> ([Job]?, [CheckedContinuation<Void, Never>]) in
            if let jobs = state.jobs.takeAll() { return (jobs, []) }
            defer { state.waiters = [] }
            return (nil, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return jobs
    }

    /// Writes all jobs in one transaction. If the transaction fails, writes each job separately, so that a change for which there is no
    /// space on disk does not block the others.
    private func write(_ jobs: [Job]) async -> [(Job, LifelineError?)] {
        do throws(LifelineError) {
            try await store.apply(jobs.map(\.change))
            return jobs.map { ($0, nil) }
        } catch {
            guard jobs.count > 1 else { return jobs.map { ($0, error) } }
        }
        var results: [(Job, LifelineError?)] = []
        for job in jobs {
            do throws(LifelineError) {
                try await store.apply([job.change])
                results.append((job, nil))
            } catch {
                results.append((job, error))
            }
        }
        return results
    }
}
