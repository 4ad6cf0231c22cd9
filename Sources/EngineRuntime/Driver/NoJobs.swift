import ConnectionEngine

/// A job runner for sessions without side work.
package final class NoJobs<Session: ProtocolSession>: JobRunner where Session.Job == Never {
    package init() {}

    package func start(
        _ job: Never, completion: @escaping @Sendable (Result<Session.JobResult, ConnectionFailure>) -> Void
    ) -> JobCancellation {}
}
