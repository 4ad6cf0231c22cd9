import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PubNubProtocol
import TransportCommon

/// The outcome of a call: all values from which its result or status object is made.
struct CallOutcome<Answer: Sendable>: Sendable {
    let result: Result<Answer, PubNubProblem>
    /// The values that every ``PNResult`` has: the operation, the status code and the user.
    var facts: ResultFacts
    /// Sends the same request again, with the same completion handler.
    let retry: @Sendable () -> Void

    /// The decoded answer; nil when the call failed.
    var answer: Answer? { try? result.get() }

    /// The values of the call's status: an acknowledgment when the call succeeded, otherwise the error.
    var statusFacts: StatusFacts {
        switch result {
        case .success: StatusFacts(result: facts, category: .PNAcknowledgmentCategory)
        case .failure(let problem): StatusFacts(problem, facts: facts, retry: retry)
        }
    }

    /// The error status of a failed call; nil when the call succeeded.
    func errorStatus(associatedObject: Any? = nil) -> PNErrorStatus? {
        guard case .failure(let problem) = result else { return nil }
        return PNErrorStatus(
            status: StatusFacts(problem, facts: facts, retry: retry), associatedObject: associatedObject)
    }

    /// Converts the answer of a successful call. When `transform` throws an error, the converted outcome is a failure.
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
    /// The values of the status of a failed call (rules PK-1 to PK-4).
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
    /// The HTTP status of the answer, or a substitute when there is no answer (rule PK-2).
    var statusCode: Int {
        if let status = failure.httpStatus, status != 200 { return status }
        return PNStatusCategory(category).standInStatusCode
    }
}
