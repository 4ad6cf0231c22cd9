import ConnectionEngine
import PubNubProtocol

/// The values of a subscription's status, before a status object is made of them.
struct StatusDraft: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case subscription
        case acknowledgment
    }

    var kind = Kind.subscription
    var operation = PNOperationType.subscribeOperation
    var category: PNStatusCategory
    var isError = false
    var willRetry = false
    var problem: PubNubProblem?
    var attempt = 0
    var retryIn: Duration?
    var list: PubNubList
    var current = PubNubCursor.start
    var last = PubNubCursor.start
}

extension StatusDraft {
    /// Makes the status object.
    ///
    /// - Parameter cancel: the closure that stops automatic retries.
    func status(_ context: ResultContext, cancel: @escaping @Sendable () -> Void) -> PNErrorStatus {
        var facts = StatusFacts(
            result: ResultFacts(operation: operation, context: context), category: category, isError: isError,
            willAutomaticallyRetry: willRetry, attempt: attempt, retryDelay: retryIn?.inSeconds)
        if let problem {
            facts.result.statusCode = problem.statusCode
            facts.errorData = PNErrorData(problem)
            facts.failure = PNFailure(problem.failure)
        }
        if willRetry { facts.cancelAutomaticRetry = cancel }
        switch kind {
        case .subscription: return PNSubscribeStatus(status: facts, list: list, current: current, last: last)
        case .acknowledgment: return PNAcknowledgmentStatus(status: facts)
        }
    }
}
