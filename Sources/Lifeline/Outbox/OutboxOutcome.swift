import NIOConcurrencyHelpers

/// The final outcome of a message in an ``Outbox``.
public enum OutboxOutcome: Hashable, Sendable {
    /// The service accepted the message. `id` is the message's id, if the service has ids.
    case accepted(id: String?)
    /// The service did not accept the message; no subscriber will receive it.
    case refused(LifelineError)
    /// It is unknown whether the service accepted the message.
    case unknown(LifelineError)
    /// The message's lifetime ended before it was sent.
    case expired
    /// The app has cancelled the message before it was sent.
    case cancelled
    /// The outbox was closed or released before the message was sent. A message on disk is sent once the outbox is opened again; a message
    /// that was only in memory is never sent.
    case closed

    /// Whether the outcome is ``accepted(id:)``.
    public var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }
}

/// The result of ``Outbox/publish(_:to:event:options:lifetime:)``: the id of the message, and its outcome.
public struct OutboxReceipt: Identifiable, Sendable {
    /// The id of the message in the outbox.
    public let id: OutboxEntry.ID
    let cell: Cell

    /// Waits for the outcome of the message. Any number of tasks may wait, also after the outcome is known.
    ///
    /// - Throws: ``LifelineError/Code/cancelled`` when the calling task was cancelled. The message stays in the outbox;
    ///   ``Outbox/cancel(_:)`` removes it.
    public func outcome() async throws(LifelineError) -> OutboxOutcome {
        guard let outcome = await cell.value() else {
            throw LifelineError(.cancelled, "The task was cancelled while it waited for the outcome of its message.")
        }
        return outcome
    }

    /// Stores the outcome of one message, and resumes the tasks that wait for it.
    final class Cell: Sendable {
        private struct State {
            var outcome: OutboxOutcome?
            var waiters: [UInt64: CheckedContinuation<OutboxOutcome?, Never>] = [:]
            var lastWaiter: UInt64 = 0
        }

        private let state = NIOLockedValueBox(State())

        /// Sets the outcome. Only the first call has an effect.
        func settle(_ outcome: OutboxOutcome) {
            let waiters = state.withLockedValue { state -> [CheckedContinuation<OutboxOutcome?, Never>] in
                guard state.outcome == nil else { return [] }
                state.outcome = outcome
                defer { state.waiters = [:] }
                return Array(state.waiters.values)
            }
            for waiter in waiters { waiter.resume(returning: outcome) }
        }

        /// Waits for the outcome. Returns nil when the calling task was cancelled before the outcome was known.
        func value() async -> OutboxOutcome? {
            let id = state.withLockedValue { state in
                state.lastWaiter += 1
                return state.lastWaiter
            }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let outcome = state.withLockedValue { state in
                        if state.outcome == nil { state.waiters[id] = continuation }
                        return state.outcome
                    }
                    if let outcome { return continuation.resume(returning: outcome) }
                    // If the task was cancelled before the waiter was registered, `onCancel` had no waiter to resume, so the check is
                    // repeated here.
                    if Task.isCancelled { abandon(id) }
                }
            } onCancel: {
                abandon(id)
            }
        }

        private func abandon(_ id: UInt64) {
            state.withLockedValue { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }
}
