import ConnectionEngine
import PubNubProtocol

/// Translates the engine's events into the statuses of the Cocoa SDK. A value without side effects (rules PK-20 to PK-29).
///
/// ```
///            subscribed: PNConnected              loss: PNUnexpectedDisconnect
///   ┌──────┐ ──────────────────────► ┌───────────┐ ───────────────────────────► ┌──────┐
///   │ idle │                         │ connected │ ◄─────────────────────────── │ lost │ ⟲ each failed attempt
///   └──────┘ ◄────────────────────── └───────────┘   subscribed: PNReconnected  └──────┘
///            unsubscribed from all:     ▲     │ 403: PNAccessDenied
///            PNDisconnected             │     ▼
///                                    ┌────────┐
///                                    │ denied │ ⟲ each failed attempt
///                                    └────────┘   481, 414: stopped until the list or the filter changes
/// ```
struct StatusScript: Sendable {
    enum State: Hashable, Sendable {
        case idle
        case connected
        /// The state after listeners have got `PNUnexpectedDisconnectCategory`. The next successful subscription is reported as
        /// `PNReconnectedCategory`.
        case lost
        /// The state after listeners have got `PNAccessDeniedCategory`. The next successful subscription is reported as
        /// `PNConnectedCategory`.
        case denied
        /// The state after a failure that a retry cannot resolve.
        case stopped
    }

    private(set) var state = State.idle
    /// The present position (`current`) and the previous position (`last`) of the subscription.
    private(set) var current = PubNubCursor.start
    private(set) var last = PubNubCursor.start
    /// The service's description of the latest failure, for the status of the next change of phase; nil for none.
    private var problem: PubNubProblem?
    private(set) var phase = ConnectionPhase.idle
    private var isCancelling = false

    /// Cancels the automatic retries of the subscription. An attempt to connect that is in progress continues and is the last attempt.
    ///
    /// - Returns: true if the engine waits for its next attempt, so that it has to be stopped now.
    mutating func cancelRetry() -> Bool {
        if phase == .connecting { isCancelling = true }
        return phase == .waiting || phase == .suspended
    }

    /// Allows automatic retries again after ``cancelRetry()``, because the user has subscribed or unsubscribed.
    mutating func begin() {
        isCancelling = false
    }

    /// Handles a change of the connection's phase.
    ///
    /// - Returns: the status for listeners, or nil if they get no status; and whether the engine has to be stopped.
    mutating func hear(_ change: ConnectionChange, wanted: PubNubList) -> (status: StatusDraft?, mustCancel: Bool) {
        let before = phase
        phase = change.phase
        switch change.phase {
        case .waiting, .suspended:
            if isCancelling {
                isCancelling = false
                problem = nil
                return (nil, true)
            }
            // While the machine has no network, listeners get this status only. The next status follows when the client has tried to
            // connect again.
            return (failed(change, wanted: wanted), false)
        case .failed:
            isCancelling = false
            // Listeners got this failure as a status when the engine began to wait for the next attempt, so they get no second status for
            // it.
            if before == .waiting || before == .suspended { return (nil, false) }
            return (failed(change, wanted: wanted), false)
        case .connected:
            isCancelling = false
            problem = nil
        case .idle, .connecting, .disconnecting, .disconnected:
            break
        }
        return (nil, false)
    }

    private mutating func failed(_ change: ConnectionChange, wanted: PubNubList) -> StatusDraft {
        let cause =
            change.cause ?? ConnectionFailure(change.category, "The connection to the service was lost for an unknown reason.")
        var problem = problem ?? PubNubProblem(cause)
        self.problem = nil
        // The engine's failure replaces the failure in the service's answer, because it has a more exact category and the pause before the
        // retry.
        problem.failure = cause
        let exact = PNStatusCategory(cause.category)
        var draft = StatusDraft(
            category: exact, willRetry: change.willRetry, problem: problem, attempt: change.attempt, retryIn: change.retryIn,
            list: wanted, current: current, last: last)
        switch exact {
        case .PNAccessDeniedCategory:
            state = .denied
            draft.isError = true
        case .PNMalformedFilterExpressionCategory, .PNRequestURITooLongCategory:
            state = .stopped
            draft.isError = true
        default:
            state = .lost
            draft.category = .PNUnexpectedDisconnectCategory
        }
        return draft
    }

    /// Handles an event of the session. Returns the status for listeners; nil for none.
    mutating func hear(
        _ event: PubNubSessionEvent, wanted: PubNubList, heartbeats: PNHeartbeatNotificationOptions
    ) -> StatusDraft? {
        switch event {
        case .subscribed(let list, let previous, let current, _):
            move(from: previous, to: current)
            let category: PNStatusCategory = state == .lost ? .PNReconnectedCategory : .PNConnectedCategory
            state = .connected
            return StatusDraft(category: category, list: list, current: current, last: previous)
        case .unsubscribed(_, let remaining):
            if remaining.isEmpty { self = StatusScript(phase: phase) }
            return StatusDraft(
                kind: .acknowledgment, operation: .unsubscribeOperation, category: .PNDisconnectedCategory, list: remaining)
        case .messageCountExceeded(_, let previous, let current):
            return StatusDraft(
                category: .PNRequestMessageCountExceededCategory, list: wanted, current: current, last: previous)
        case .unreadable(let count, let previous, let current):
            move(from: previous, to: current)
            return StatusDraft(
                category: .PNMalformedResponseCategory, isError: true, problem: .unreadable(count), list: wanted,
                current: current,
                last: previous)
        case .messages(let batch):
            move(from: batch.previous, to: batch.current)
            return nil
        case .problem(let problem):
            self.problem = problem
            return nil
        case .heartbeat(let problem):
            return heartbeat(problem, heartbeats)
        case .leaveFailed(let problem):
            guard PNStatusCategory(problem.category) == .PNAccessDeniedCategory else { return nil }
            return StatusDraft(
                kind: .acknowledgment, operation: .unsubscribeOperation, category: .PNAccessDeniedCategory, isError: true,
                problem: problem, list: wanted)
        case .gap:
            return nil
        }
    }

    private func heartbeat(_ problem: PubNubProblem?, _ options: PNHeartbeatNotificationOptions) -> StatusDraft? {
        var draft = StatusDraft(
            kind: .acknowledgment, operation: .heartbeatOperation, category: .PNAcknowledgmentCategory, list: PubNubList())
        guard let problem else { return options.contains(.notifySuccess) ? draft : nil }
        guard options.contains(.notifyFailure) else { return nil }
        draft.category = PNStatusCategory(problem.category)
        draft.isError = draft.category != .PNCancelledCategory
        draft.problem = problem
        return draft
    }

    private mutating func move(from previous: PubNubCursor, to current: PubNubCursor) {
        last = previous
        self.current = current
    }
}

extension StatusScript {
    fileprivate init(phase: ConnectionPhase) {
        self.phase = phase
    }
}
