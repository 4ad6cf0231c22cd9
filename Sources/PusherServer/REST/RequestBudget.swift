import Identifiers
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage

/// Limits the rate of each application's requests to the HTTP API (rules SR-6, SR-7). May be used from any thread.
final class RequestBudget: Sendable {
    private struct Buckets {
        var publishes: TokenBucket?
        var queries: TokenBucket?
    }

    private let buckets = NIOLockedValueBox<[Identifier: Buckets]>([:])

    /// Counts published messages, one for each event and channel. Throws when the application's limit is exceeded.
    func publish(_ messages: Int, for application: Application, at now: MonotonicInstant) throws(HTTPProblem) {
        let limit = application.limits.publishesPerSecond
        guard let wait = take(messages, limit: limit, kind: \.publishes, of: Identifier(application.id), at: now) else { return }
        throw HTTPProblem(
            429,
            "The application publishes more than \(max(limit ?? 0, 0)) messages in a second; an event counts once for each channel.",
            retryAfter: wait)
    }

    /// Counts a query, or a request to close connections. Throws when the application's limit is exceeded.
    func query(for application: Application, at now: MonotonicInstant) throws(HTTPProblem) {
        let limit = application.limits.queriesPerSecond
        guard let wait = take(1, limit: limit, kind: \.queries, of: Identifier(application.id), at: now) else { return }
        throw HTTPProblem(
            429, "The application sends more than \(max(limit ?? 0, 0)) queries in a second.", retryAfter: wait)
    }

    /// Takes the cost of a request from the budget. Returns nil when the request is allowed. Otherwise returns the number of seconds,
    /// rounded up, after which it will be allowed.
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
