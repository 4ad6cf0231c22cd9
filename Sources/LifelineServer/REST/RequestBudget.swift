import NIOConcurrencyHelpers
import RealtimeHub

/// How much each application has asked of the HTTP API lately, against its limits (rules SR-6, SR-7). May be used from any thread.
final class RequestBudget: Sendable {
    private struct Buckets {
        var publishes: TokenBucket?
        var queries: TokenBucket?
    }

    private let buckets = NIOLockedValueBox<[String: Buckets]>([:])

    /// Counts messages to publish: one for each event and channel.
    func publish(_ messages: Int, for application: Application, at now: HubInstant) throws(HTTPProblem) {
        try take(messages, application.limits.publishesPerSecond, \.publishes, application.id, now)
    }

    /// Counts a question, or a request to end connections.
    func query(for application: Application, at now: HubInstant) throws(HTTPProblem) {
        try take(1, application.limits.queriesPerSecond, \.queries, application.id, now)
    }

    private func take(
        _ cost: Int, _ limit: Int?, _ kind: WritableKeyPath<Buckets, TokenBucket?>, _ id: String, _ now: HubInstant
    ) throws(HTTPProblem) {
        guard let limit else { return }
        let wait = buckets.withLockedValue { buckets in
            var bucket = buckets[id, default: Buckets()][keyPath: kind] ?? TokenBucket(burst: limit, at: now)
            defer { buckets[id, default: Buckets()][keyPath: kind] = bucket }
            return bucket.take(cost, perSecond: limit, burst: limit, at: now)
        }
        guard wait > .zero else { return }
        let (seconds, rest) = wait.components
        let whole = Int(seconds) + (rest > 0 ? 1 : 0)
        throw HTTPProblem(
            429, "The application may do so \(max(limit, 0)) times in a second. Wait before the next try.", retryAfter: whole)
    }
}
