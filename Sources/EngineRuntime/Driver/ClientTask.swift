import NIOConcurrencyHelpers

/// How a double of a service learns that a task which it has started waits for the service's answer.
package enum ClientTask {
    /// Called when the current task begins to wait; what it returns is called with the answer. Nil in tasks that no double has started.
    @TaskLocal package static var beginWaiting: (@Sendable () -> (@Sendable () -> Void)?)?
}

/// One wait of a client's task.
final class TaskWait: Sendable {
    private let begin: @Sendable () -> (@Sendable () -> Void)?
    private let state = NIOLockedValueBox<(isAnswered: Bool, end: (@Sendable () -> Void)?)>((false, nil))

    /// Nil in tasks that no double has started.
    init?() {
        guard let begin = ClientTask.beginWaiting else { return nil }
        self.begin = begin
    }

    /// The task has made its request, and has nothing else to do.
    func asked() {
        let end = begin()
        let isAnswered = state.withLockedValue { state in
            if !state.isAnswered { state.end = end }
            return state.isAnswered
        }
        if isAnswered { end?() }
    }

    /// Marks the call as answered.
    func answered() {
        let end = state.withLockedValue { state in
            state.isAnswered = true
            defer { state.end = nil }
            return state.end
        }
        end?()
    }
}
