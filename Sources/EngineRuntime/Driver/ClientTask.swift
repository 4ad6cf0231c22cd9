import NIOConcurrencyHelpers

/// Notifies a service double when a task that it has started waits for the service's answer.
package enum ClientTask {
    /// Called when the current task begins to wait; the returned closure is called with the answer. Nil in tasks that no double has
    /// started.
    @TaskLocal package static var beginWaiting: (@Sendable () -> (@Sendable () -> Void)?)?
}

/// One wait of a client's task.
package final class TaskWait: Sendable {
    private let begin: @Sendable () -> (@Sendable () -> Void)?
    private let state = NIOLockedValueBox<(isAnswered: Bool, end: (@Sendable () -> Void)?)>((false, nil))

    /// Nil in tasks that no double has started.
    package init?() {
        guard let begin = ClientTask.beginWaiting else { return nil }
        self.begin = begin
    }

    /// The task has sent its request and now waits, unless the answer came while it was sending.
    package func asked() {
        // The lock is held meanwhile, so that a task that was answered never counts as one that waits.
        state.withLockedValue { state in
            if !state.isAnswered { state.end = begin() }
        }
    }

    /// Marks the call as answered.
    package func answered() {
        let end = state.withLockedValue { state in
            state.isAnswered = true
            defer { state.end = nil }
            return state.end
        }
        end?()
    }
}
