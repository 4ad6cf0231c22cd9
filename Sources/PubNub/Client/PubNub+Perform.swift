import ConnectionEngine
import EngineRuntime
import Foundation
import HTTPTransport
import PubNubProtocol
import TransportCommon

// The implementation that all calls share.
extension PubNub {
    /// Makes a call and returns at once. `completion` is called exactly once, on the callback queue, even if the arguments are refused
    /// before anything is sent.
    ///
    /// - Parameters:
    ///   - extra: additional query parameters; they replace the call's own parameters of the same name.
    ///   - compresses: whether the body is compressed.
    func perform<Call: PubNubCall>(
        _ call: Call, operation: PNOperationType, extra: [PubNubRequest.Parameter] = [], compresses: Bool = false,
        completion: @escaping @Sendable (CallOutcome<Call.Answer>) -> Void
    ) {
        let values = configuration
        let context = resultContext
        let line = line
        let retry: @Sendable () -> Void = { [weak self] in
            if let self {
                self.perform(call, operation: operation, extra: extra, compresses: compresses, completion: completion)
            } else {
                let facts = ResultFacts(operation: operation, statusCode: 0, context: context, target: nil)
                line.run { completion(CallOutcome(result: .failure(PubNubProblem(.cancelledByCaller)), facts: facts, retry: {})) }
            }
        }
        let logger = logger
        logger.log(.PNAPICallLogLevel, "<PubNub> \(operation.text)")
        let telemetry = operation.publishes ? telemetry : nil
        let began = ContinuousClock.now
        @Sendable func finish(_ result: Result<Call.Answer, PubNubProblem>, target: String?, status: Int) {
            var facts = ResultFacts(operation: operation, statusCode: status, context: context, target: target)
            switch result {
            case .success:
                telemetry?.noted(.published(.accepted, category: nil, code: nil, roundTrip: ContinuousClock.now - began))
                logger.log(.PNResultLogLevel, "<PubNub> \(operation.text): \(status)")
            case .failure(let problem):
                facts.statusCode = problem.statusCode
                telemetry?.noted(.notPublished(problem.failure, after: ContinuousClock.now - began))
                logger.log(.PNFailureStatusLogLevel, "<PubNub> \(operation.text): \(problem.failure)")
            }
            let outcome = CallOutcome(result: result, facts: facts, retry: retry)
            line.run { completion(outcome) }
        }
        let request: CallRequest
        do throws(PubNubProblem) {
            request = try source.assemble(call, values: values, extra: extra, compresses: compresses)
        } catch {
            finish(.failure(error), target: nil, status: 400)
            return
        }
        calls.send(request) { result in
            switch result {
            case .failure(let failure):
                finish(.failure(PubNubProblem(failure)), target: request.target, status: 0)
            case .success(let answer):
                let result = Result { () throws(PubNubProblem) in try answer.read(by: call) }
                finish(result, target: request.target, status: answer.status)
            }
        }
    }
}

extension PNOperationType {
    /// Whether the operation publishes a message, so that the client's metrics record its outcome (rule PK-68).
    fileprivate var publishes: Bool {
        self == .publishOperation || self == .signalOperation || self == .publishFileMessageOperation
    }
}

extension HTTPCallAnswer {
    /// Decodes the answer of a call. Throws the service's error when the answer reports one.
    func read<Call: PubNubCall>(by call: Call) throws(PubNubProblem) -> Call.Answer {
        let head = HTTPAnswerHead(
            status: status, contentType: first("Content-Type"),
            retryAfter: first("Retry-After").flatMap { RetryAfter.duration($0, unixTime: WallClock.unixTime) })
        if let problem = body.withUnsafeBytes({ PubNubProblem(head, body: $0) }) { throw problem }
        return try call.answer(body)
    }
}
