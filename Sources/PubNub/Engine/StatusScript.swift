import ConnectionEngine
import PubNubProtocol

/// Translates the engine's events into the statuses of the Cocoa SDK. A pure value (rules PK-20 to PK-29).
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
        /// After `PNUnexpectedDisconnectCategory`: the next success is `PNReconnectedCategory`.
        case lost
        /// After `PNAccessDeniedCategory`: the next success is `PNConnectedCategory`.
        case denied
        /// After a failure that retrying cannot resolve.
        case stopped
    }

    private(set) var state = State.idle
    /// The present and the previous position of the subscription.
    private(set) var current = PubNubCursor.start
    private(set) var last = PubNubCursor.start
    /// The service's description of the failure that the next change of phase reports.
    private var problem: PubNubProblem?
    private(set) var phase = ConnectionPhase.idle
    private var isCancelling = false

    /// Cancels automatic retries. The attempt in progress is the last one.
    ///
    /// - Returns: whether the engine has to be stopped now.
    mutating func cancelRetry() -> Bool {
        if phase == .connecting { isCancelling = true }
        return phase == .waiting || phase == .suspended
    }

    /// Resets an earlier cancellation of retries, because the user has subscribed or unsubscribed.
    mutating func begin() {
        isCancelling = false
    }

    /// Returns the status for a change of phase; nil when listeners get none.
    ///
    /// - Returns: the status, and whether the engine has to be stopped.
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
            // Without a network the client reports one status; the next one is that of the next attempt.
            return (failed(change, wanted: wanted), false)
        case .failed:
            isCancelling = false
            // The beginning of the wait was already reported.
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
        let cause = change.cause ?? ConnectionFailure(change.category, "The connection was lost.")
        var problem = problem ?? PubNubProblem(cause)
        self.problem = nil
        // The engine's failure may have more details than the answer: its category and the time of the retry.
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

    /// Returns the status for an event; nil when listeners get none.
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
