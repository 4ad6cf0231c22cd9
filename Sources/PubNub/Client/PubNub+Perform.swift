import BodyCompression
import ConnectionEngine
import EngineRuntime
import Foundation
import HTTPTransport
import PubNubProtocol
import TransportCommon

// The one way of every call.
extension PubNub {
    /// Makes a call. Returns at once; `completion` comes exactly once, on the callback queue, also for arguments that are refused
    /// before anything is sent.
    ///
    /// - Parameters:
    ///   - extra: further parameters of the request; they win over parameters of the call of the same name.
    ///   - compresses: whether the body is compressed.
    func perform<Call: PubNubCall>(
        _ call: Call, operation: PNOperationType, extra: [PubNubRequest.Parameter] = [], compresses: Bool = false,
        completion: @escaping @Sendable (CallOutcome<Call.Answer>) -> Void
    ) {
        let values = configuration
        let context = resultContext
        let queue = queue
        let retry: @Sendable () -> Void = { [weak self] in
            self?.perform(call, operation: operation, extra: extra, compresses: compresses, completion: completion)
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
            queue.run { completion(outcome) }
        }
        let request: CallRequest
        do throws(PubNubProblem) {
            request = try assemble(call, values: values, extra: extra, compresses: compresses)
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

    /// The request with its address, ready to be sent.
    func assemble<Call: PubNubCall>(
        _ call: Call, values: ConfigurationValues, extra: [PubNubRequest.Parameter], compresses: Bool
    ) throws(PubNubProblem) -> CallRequest {
        let settings = values.settings(instanceID: instanceID)
        var request = try call.request(settings)
        request.parameters.removeAll { parameter in extra.contains { $0.name == parameter.name } }
        request.parameters += extra
        let timestamp = values.secretKey == nil ? nil : Int(clamping: WallClock.unixTime)
        let target = request.target(settings, requestID: UUID().uuidString, timestamp: timestamp)
        var headers: [HTTPExchange.Header] = []
        if !request.body.isEmpty { headers.append(HTTPExchange.Header("Content-Type", "application/json; charset=UTF-8")) }
        if compresses, !request.body.isEmpty, let gzip = try? BodyCompression.gzip(request.body) {
            request.body = gzip
            headers.append(HTTPExchange.Header("Content-Encoding", "gzip"))
        }
        return CallRequest(
            endpoint: settings.endpoint, method: request.method, target: target, headers: headers, body: request.body,
            timeout: values.requestTimeout)
    }
}

extension PNOperationType {
    /// Whether the call publishes something, so that its outcome is measured (rule PK-68).
    fileprivate var publishes: Bool {
        self == .publishOperation || self == .signalOperation || self == .publishFileMessageOperation
    }
}

extension HTTPAnswer {
    /// What the answer means for a call.
    func read<Call: PubNubCall>(by call: Call) throws(PubNubProblem) -> Call.Answer {
        let head = HTTPAnswerHead(
            status: status, contentType: first("Content-Type"),
            retryAfter: first("Retry-After").flatMap { RetryAfter.duration($0, unixTime: WallClock.unixTime) })
        if let problem = body.withUnsafeBytes({ PubNubProblem(head, body: $0) }) { throw problem }
        return try call.answer(body)
    }
}
