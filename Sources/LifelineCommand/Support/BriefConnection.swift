import ConnectionEngine
import Lifeline
import NIOConcurrencyHelpers

/// Connects for commands that make one request (rule CL-19). Such a command reports the first failure at once, while other clients keep
/// trying.
enum BriefConnection {
    private struct Findings {
        /// The error that ended the command.
        var obstacle: LifelineError?
        /// The latest failure after which the client tried again.
        var last: LifelineError?
    }

    /// Runs `body`, which connects and subscribes. Ends with the first failure that a retry cannot resolve, or when the time limit has
    /// passed.
    ///
    /// In both cases the client is disconnected before this throws.
    static func open<Value: Sendable>(
        _ client: LifelineClient, within limit: Duration,
        _ body: @escaping @Sendable () async throws(LifelineError) -> Value
    ) async throws(LifelineError) -> Value {
        let findings = NIOLockedValueBox(Findings())
        let events = client.events
        let watching = Task {
            for await event in events {
                guard let failure = failure(event) else { continue }
                let isHopeless = !mayPass(failure.code)
                findings.withLockedValue {
                    $0.last = failure
                    if isHopeless, $0.obstacle == nil { $0.obstacle = failure }
                }
                if isHopeless { return await client.disconnect() }
            }
        }
        let timing = Task {
            do { try await Task.sleep(for: limit) } catch { return }
            findings.withLockedValue { if $0.obstacle == nil { $0.obstacle = late($0.last, limit) } }
            await client.disconnect()
        }
        defer {
            watching.cancel()
            timing.cancel()
        }
        do throws(LifelineError) {
            return try await body()
        } catch {
            throw findings.withLockedValue(\.obstacle) ?? error
        }
    }

    /// The failure in an event after which the client tries again; nil for other events.
    private static func failure(_ event: ClientEvent) -> LifelineError? {
        switch event {
        case .status(let status) where status.willRetry:
            status.cause.map { LifelineError(LifelineError.Code($0.category), $0.reason, number: $0.code) }
        case .problem(let error, _, willRetry: true, _): error
        default: nil
        }
    }

    /// Whether the failure may be temporary, because the server is starting or overloaded.
    private static func mayPass(_ code: LifelineError.Code) -> Bool {
        let passing: [StatusCategory] = [.serverRestart, .overloaded, .timeout, .unexpectedDisconnect]
        return passing.contains { LifelineError.Code($0) == code }
    }

    private static func late(_ last: LifelineError?, _ limit: Duration) -> LifelineError {
        let words = "The connection to the service was not ready within \(limit.components.seconds) seconds."
        let rest = last.map { "The last attempt: \($0.reason)" } ?? "Check the address."
        return LifelineError(.timeout, "\(words) \(rest)", number: last?.number)
    }
}
