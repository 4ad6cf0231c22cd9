import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PubNubProtocol
import TransportCommon

/// The outcome of a call, with all values that its result or status is made from.
struct CallOutcome<Answer: Sendable>: Sendable {
    let result: Result<Answer, PubNubProblem>
    /// The facts that every ``PNResult`` has: the operation, the status code and the user.
    var facts: ResultFacts
    /// Makes the same call again with the same completion.
    let retry: @Sendable () -> Void

    /// The answer, when there is one.
    var answer: Answer? { try? result.get() }

    /// For a status that reports both success and failure: the facts of an acknowledgment, or of the error.
    var statusFacts: StatusFacts {
        switch result {
        case .success: StatusFacts(result: facts, category: .PNAcknowledgmentCategory)
        case .failure(let problem): StatusFacts(problem, facts: facts, retry: retry)
        }
    }

    /// The status of a failed call; nil when it succeeded.
    func errorStatus(associatedObject: Any? = nil) -> PNErrorStatus? {
        guard case .failure(let problem) = result else { return nil }
        return PNErrorStatus(
            status: StatusFacts(problem, facts: facts, retry: retry), associatedObject: associatedObject)
    }

    /// Converts the answer of a successful call. An error thrown by `transform` makes the call a failure.
    func map<Other>(_ transform: (Answer) throws(PubNubProblem) -> Other) -> CallOutcome<Other> {
        let mapped: Result<Other, PubNubProblem>
        switch result {
        case .failure(let problem):
            mapped = .failure(problem)
        case .success(let answer):
            do throws(PubNubProblem) { mapped = .success(try transform(answer)) } catch { mapped = .failure(error) }
        }
        var facts = facts
        if case .failure(let problem) = mapped { facts.statusCode = problem.statusCode }
        return CallOutcome<Other>(result: mapped, facts: facts, retry: retry)
    }
}

extension StatusFacts {
    /// The facts of a failed call (rules PK-1 to PK-4).
    init(_ problem: PubNubProblem, facts: ResultFacts, retry: (@Sendable () -> Void)? = nil) {
        var facts = facts
        facts.statusCode = problem.statusCode
        let category = PNStatusCategory(problem.category)
        self.init(
            result: facts, category: category, isError: category != .PNCancelledCategory, errorData: PNErrorData(problem),
            failure: PNFailure(problem.failure), retry: retry)
    }
}

extension PNErrorData {
    convenience init(_ problem: PubNubProblem) {
        self.init(
            information: problem.information, channels: problem.channels, channelGroups: problem.channelGroups,
            payload: problem.payload)
    }
}

extension PubNubProblem {
    /// The HTTP status of the answer, or the status that replaces it when there is none.
    var statusCode: Int {
        if let status = failure.httpStatus, status != 200 { return status }
        return PNStatusCategory(category).standInStatusCode
    }
}
