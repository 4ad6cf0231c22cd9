import ConnectionEngine
import NIOConcurrencyHelpers

extension ServiceDouble {
    /// Answers a request and waits for the answer. Cancelling the task cancels the request.
    package func answer(to request: DoubleRequest) async -> Result<DoubleAnswer, ConnectionFailure> {
        if Task.isCancelled { return .failure(.cancelledByCaller) }
        let pending = NIOLockedValueBox(PendingAnswer())
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending.withLockedValue { $0.continuation = continuation }
                let cancel = send(request) { result in
                    pending.withLockedValue { $0.take() }?.resume(returning: result)
                }
                // A cancellation that came before has found nothing to cancel.
                let abandoned = pending.withLockedValue { pending in
                    pending.cancel = cancel
                    return pending.isCancelled ? pending.take() : nil
                }
                if let abandoned {
                    cancel()
                    abandoned.resume(returning: .failure(.cancelledByCaller))
                }
            }
        } onCancel: {
            let (continuation, cancel) = pending.withLockedValue { pending in
                pending.isCancelled = true
                return (pending.take(), pending.cancel)
            }
            cancel?()
            continuation?.resume(returning: .failure(.cancelledByCaller))
        }
    }
}

/// A caller that waits for an answer.
private struct PendingAnswer: Sendable {
    var continuation: CheckedContinuation<Result<DoubleAnswer, ConnectionFailure>, Never>?
    var cancel: JobCancellation?
    var isCancelled = false

    mutating func take() -> CheckedContinuation<Result<DoubleAnswer, ConnectionFailure>, Never>? {
        defer { continuation = nil }
        return continuation
    }
}
