import Identifiers
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage

/// The recent number of each application's requests to the HTTP API, against its limits (rules SR-6, SR-7). May be used from any thread.
final class RequestBudget: Sendable {
    private struct Buckets {
        var publishes: TokenBucket?
        var queries: TokenBucket?
    }

    private let buckets = NIOLockedValueBox<[Identifier: Buckets]>([:])

    /// Counts messages to publish: one for each event and channel.
    func publish(_ messages: Int, for application: Application, at now: MonotonicInstant) throws(HTTPProblem) {
        let limit = application.limits.publishesPerSecond
        guard let wait = take(messages, limit: limit, kind: \.publishes, of: Identifier(application.id), at: now) else { return }
        throw HTTPProblem(
            429, "The application publishes more than \(max(limit ?? 0, 0)) messages in a second, one for each channel.",
            retryAfter: wait)
    }

    /// Counts a query, or a request to close connections.
    func query(for application: Application, at now: MonotonicInstant) throws(HTTPProblem) {
        let limit = application.limits.queriesPerSecond
        guard let wait = take(1, limit: limit, kind: \.queries, of: Identifier(application.id), at: now) else { return }
        throw HTTPProblem(
            429, "The application asks more than \(max(limit ?? 0, 0)) questions in a second.", retryAfter: wait)
    }

    /// Takes an amount from the budget. Returns nil when it is allowed, otherwise after how many whole seconds it will be.
    private func take(
        _ cost: Int, limit: Int?, kind: WritableKeyPath<Buckets, TokenBucket?>, of id: Identifier, at now: MonotonicInstant
    ) -> Int? {
        guard let limit else { return nil }
        let wait = buckets.withLockedValue { buckets in
            var bucket = buckets[id, default: Buckets()][keyPath: kind] ?? TokenBucket(burst: limit, at: now)
            defer { buckets[id, default: Buckets()][keyPath: kind] = bucket }
            return bucket.take(cost, perSecond: limit, burst: limit, at: now)
        }
        guard wait > .zero else { return nil }
        let (seconds, rest) = wait.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
