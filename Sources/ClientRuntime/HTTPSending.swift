import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers

/// Makes requests and waits for their answers. Tests script theirs.
package protocol HTTPSending: Sendable {
    /// An answer of any status is a success here.
    ///
    /// - Throws: `cancelled` when the task was cancelled; what the transport knows about a failure otherwise.
    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer
}

/// Makes requests without waiting: the HTTP transport's caller, or a double.
package protocol HTTPStarting: HTTPSending {
    /// Returns at once. An answer of any status is a success here.
    ///
    /// - Parameter completion: called once, on any thread; never after a cancellation.
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
                // A cancellation that came before has found nothing to cancel.
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

/// A caller that waits for an answer.
private struct PendingAnswer: Sendable {
    var continuation: CheckedContinuation<Result<HTTPCallAnswer, ConnectionFailure>, Never>?
    var cancel: JobCancellation?
    var isCancelled = false

    mutating func take() -> CheckedContinuation<Result<HTTPCallAnswer, ConnectionFailure>, Never>? {
        defer { continuation = nil }
        return continuation
    }
}
