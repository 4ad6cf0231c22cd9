import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers

/// Sends HTTP requests and waits for their answers. Tests use implementations with scripted answers.
package protocol HTTPSending: Sendable {
    /// Sends a request and returns its answer, with any HTTP status.
    ///
    /// - Throws: `cancelled` when the task was cancelled; otherwise the transport's failure, for a request without an answer.
    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer
}

/// Sends HTTP requests without waiting for the answers. Implemented by the HTTP transport and by test doubles.
package protocol HTTPStarting: HTTPSending {
    /// Sends a request and returns at once. An answer with any HTTP status counts as a success.
    ///
    /// - Parameter completion: called once, on any thread; never after a cancellation.
    /// - Returns: a closure that cancels the request.
    func send(
        _ call: HTTPCall, timeout: Duration, completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation
}

extension HTTPCaller: HTTPStarting {}

extension HTTPStarting {
    package func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer {
        try await answer(to: call, timeout: timeout).get()
    }

    private func answer(to call: HTTPCall, timeout: Duration) async -> Result<HTTPCallAnswer, ConnectionFailure> {
        if Task.isCancelled { return .failure(.cancelledByCaller) }
        let pending = NIOLockedValueBox(PendingAnswer())
        let wait = TaskWait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending.withLockedValue { $0.continuation = continuation }
                let cancel = send(call, timeout: timeout) { result in
                    let continuation = pending.withLockedValue { $0.take() }
                    wait?.answered()
                    continuation?.resume(returning: result)
                }
                // If the task was cancelled before `cancel` was stored, `onCancel` could not cancel the request, so it is cancelled here.
                let abandoned = pending.withLockedValue { pending in
                    pending.cancel = cancel
                    return pending.isCancelled ? pending.take() : nil
                }
                if let abandoned {
                    cancel()
                    abandoned.resume(returning: .failure(.cancelledByCaller))
                } else {
                    wait?.asked()
                }
            }
        } onCancel: {
            let (continuation, cancel) = pending.withLockedValue { pending in
                pending.isCancelled = true
                return (pending.take(), pending.cancel)
            }
            cancel?()
            wait?.answered()
            continuation?.resume(returning: .failure(.cancelledByCaller))
        }
    }
}

/// The state of a caller that waits for an answer.
private struct PendingAnswer: Sendable {
    var continuation: CheckedContinuation<Result<HTTPCallAnswer, ConnectionFailure>, Never>?
    var cancel: JobCancellation?
    var isCancelled = false

    mutating func take() -> CheckedContinuation<Result<HTTPCallAnswer, ConnectionFailure>, Never>? {
        defer { continuation = nil }
        return continuation
    }
}
