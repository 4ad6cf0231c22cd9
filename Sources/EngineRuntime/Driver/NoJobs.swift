import ConnectionEngine

/// The job runner for sessions that have no jobs.
package final class NoJobs<Session: ProtocolSession>: JobRunner where Session.Job == Never {
    package init() {}

    package func start(
        _ job: Never, completion: @escaping @Sendable (Result<Session.JobResult, ConnectionFailure>) -> Void
    ) -> JobCancellation {}
}
