import ClientRuntime
import EngineRuntime
import NIOConcurrencyHelpers

/// Passes the changes of an outbox to its store, in order and one transaction at a time. Changes that arrive during a transaction share
/// the next one.
final class OutboxWriter: Sendable {
    private struct Job: Sendable {
        var change: OutboxChange
        var completion: @Sendable (LifelineError?) -> Void
    }

    private struct State {
        var jobs = CoalescingQueue<[Job]>()
        /// The callers that wait until everything is written.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let store: any OutboxStore
    private let tasks: TaskStarter
    private let state = NIOLockedValueBox(State())

    init(store: any OutboxStore, tasks: TaskStarter) {
        self.store = store
        self.tasks = tasks
    }

    /// - Parameter completion: called once, in order, with nil once the change is on disk.
    func write(_ change: OutboxChange, completion: @escaping @Sendable (LifelineError?) -> Void) {
        let isFirst = state.withLockedValue { $0.jobs.append(Job(change: change, completion: completion)) }
        // The writer stays alive until everything is written, also when the outbox is released meanwhile.
        if isFirst { _ = tasks.start { [self] in await drain() } }
    }

    /// Returns when nothing is left to write.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLockedValue { state in
                if state.jobs.isAtWork { state.waiters.append(continuation) }
                return !state.jobs.isAtWork
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Releases the store. To be called once, when nothing is left to write.
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

    /// Writes all jobs in one transaction. If that fails, writes each job separately, so that one change without room does not block
    /// the others.
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
