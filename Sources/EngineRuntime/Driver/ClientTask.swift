import NIOConcurrencyHelpers

/// Notifies a test double of a service when a task that the test double has started waits for the service's answer.
package enum ClientTask {
    /// Called when the current task begins to wait; the returned closure is called when the answer arrives. Nil in tasks that no test
    /// double has started.
    @TaskLocal package static var beginWaiting: (@Sendable () -> (@Sendable () -> Void)?)?
}

/// A task's wait for one answer of a service, as reported to a test double.
package final class TaskWait: Sendable {
    private let begin: @Sendable () -> (@Sendable () -> Void)?
    private let state = NIOLockedValueBox<(isAnswered: Bool, end: (@Sendable () -> Void)?)>((false, nil))

    /// Returns nil in a task that no test double has started.
    package init?() {
        guard let begin = ClientTask.beginWaiting else { return nil }
        self.begin = begin
    }

    /// Reports that the task has sent its request and waits for the answer. Reports nothing if the answer arrived while the request was
    /// being sent.
    package func asked() {
        // `begin` is called while the lock is held, so that an answer cannot arrive between the check and the report.
        state.withLockedValue { state in
            if !state.isAnswered { state.end = begin() }
        }
    }

    /// Reports that the service has answered the request.
    package func answered() {
        let end = state.withLockedValue { state in
            state.isAnswered = true
            defer { state.end = nil }
            return state.end
        }
        end?()
    }
}
