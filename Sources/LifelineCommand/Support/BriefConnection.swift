import ConnectionEngine
import Lifeline
import NIOConcurrencyHelpers

/// How commands connect that ask one question. Other clients keep trying; a user in front of a terminal needs to know at once what is
/// wrong. Rule CL-19.
enum BriefConnection {
    private struct Findings {
        /// The error that ended the command.
        var obstacle: LifelineError?
        /// The latest failure after which the client tried again.
        var last: LifelineError?
    }

    /// Runs what connects and subscribes. The first failure that waiting does not mend ends it, and so does the time.
    ///
    /// The client is disconnected when this throws because of either.
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

    /// The failures after which the client would try again.
    private static func failure(_ event: ClientEvent) -> LifelineError? {
        switch event {
        case .status(let status) where status.willRetry:
            status.cause.map { LifelineError(LifelineError.Code($0.category), $0.reason, number: $0.code) }
        case .problem(let error, _, willRetry: true, _): error
        default: nil
        }
    }

    /// Whether a server that is about to be there, or has too much to do, may have changed its mind a moment later.
    private static func mayPass(_ code: LifelineError.Code) -> Bool {
        let passing: [StatusCategory] = [.serverRestart, .overloaded, .timeout, .unexpectedDisconnect]
        return passing.contains { LifelineError.Code($0) == code }
    }

    private static func late(_ last: LifelineError?, _ limit: Duration) -> LifelineError {
        let words = "The service was not ready within \(limit.components.seconds) seconds."
        return LifelineError(.timeout, last.map { "\(words) The last attempt: \($0.reason)" } ?? words, number: last?.number)
    }
}
