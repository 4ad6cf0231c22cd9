import NIOCore
import NIOHTTP1
import ServerValues

/// Passes each request to the front that owns its path.
extension HTTPConnection {
    /// Handles a GET without a body.
    func handle(plain target: UnsafeRawBufferPointer) {
        guard let target = core.prefix.strip(target) else { return handle(outside: target) }
        for front in host.fronts where front.answer(plain: target, for: self) { return }
        do throws(HTTPProblem) {
            handle(HTTPRequest(method: "GET", target: try RequestTarget(parsing: target), headers: [:], body: []))
        } catch {
            answer(refusal(error, RequestTarget.rawSegments(of: target)))
        }
    }

    /// Handles a GET of a path without the server's prefix.
    private func handle(outside target: UnsafeRawBufferPointer) {
        do throws(HTTPProblem) {
            let target = outside(try RequestTarget(parsing: target))
            handleOwn(HTTPRequest(method: "GET", target: target, headers: [:], body: []))
        } catch {
            answer(HTTPAnswer(error))
        }
    }

    /// Returns the target of a request without the prefix: only the paths for the server's operator exist there (rule SR-22).
    private func outside(_ target: RequestTarget) -> RequestTarget {
        ServerRoute.outsidePrefix.contains(target.segments) ? target : target.nowhere
    }

    /// The target of a request from the library's parser, without the prefix, which is removed from the head too.
    func target(of head: inout HTTPRequestHead) throws(HTTPProblem) -> RequestTarget {
        if let inner = core.prefix.strip(head.uri) {
            head.uri = inner
            return try RequestTarget(parsing: inner)
        }
        let target = outside(try RequestTarget(parsing: head.uri))
        head.uri = "/"
        return target
    }

    /// Handles a request from the library's parser.
    func handle(_ head: HTTPRequestHead, target: Result<RequestTarget, HTTPProblem>, body: [UInt8]) {
        switch target {
        case .failure(let problem): answer(refusal(problem, head.uri))
        case .success(let target):
            if head.method == .OPTIONS, core.crossOrigin.isOn, !target.segments.isEmpty, target.segments != ["metrics"] {
                return answer(.preflight(isAllowed: core.crossOrigin.allows(page)))
            }
            handle(HTTPRequest(method: head.method.rawValue, target: target, headers: head.headers, body: body))
        }
    }

    private func handle(_ request: HTTPRequest) {
        guard let front = host.front(of: request.target.segments) else { return handleOwn(request) }
        front.answer(request, for: self)
    }

    /// The error answer in the format of the API that a target belongs to, even when the target cannot be parsed.
    func refusal(_ problem: HTTPProblem, _ target: String) -> HTTPAnswer {
        var target = target
        return refusal(problem, target.withUTF8 { RequestTarget.rawSegments(of: UnsafeRawBufferPointer($0)) })
    }

    /// The error answer to a request whose head is too large for the parser: for a long target in the format of the API that its
    /// beginning belongs to.
    func refusalOfLargeHead(_ line: RequestLineTracker) -> HTTPAnswer {
        guard line.isTooLong else { return HTTPAnswer(.headerTooLarge) }
        let start = String(decoding: line.start, as: UTF8.self)
        guard let target = core.prefix.strip(start) else { return HTTPAnswer(.targetTooLong) }
        return refusal(.targetTooLong, target)
    }

    /// The error answer for a refusal that the machine decides.
    func answer(to refusal: HTTPConnectionMachine.Refusal) -> HTTPAnswer {
        switch refusal {
        case .malformed: HTTPAnswer(.malformedRequest)
        case .headTooLarge: refusalOfLargeHead(parser?.requestLine ?? RequestLineTracker())
        case .tooSlow: HTTPAnswer(.timeout)
        case .noAnswer: HTTPAnswer(HTTPProblem(503, "The answer took too long.", retryAfter: 1))
        case .bodyTooLarge: refusalOfContent(.bodyTooLarge(limit: machine.bodyLimit))
        case .tooManyBodies: refusalOfContent(.tooManyBodies)
        case .tooManyLargeBodies: refusalOfContent(.tooManyLargeBodies)
        case .excessiveFraming: refusalOfContent(.excessiveFraming)
        }
    }

    private func refusalOfContent(_ problem: HTTPProblem) -> HTTPAnswer {
        guard case .request(let head, _) = content else { return HTTPAnswer(problem) }
        return refusal(problem, head.uri)
    }

    /// The answer to a request that breaks HTTP, with the name of the service for the log (rule SO-150).
    private func refusal(_ problem: HTTPProblem, _ segments: [String]) -> HTTPAnswer {
        guard let front = host.front(of: segments) else { return HTTPAnswer(problem) }
        var answer = front.refusal(problem, of: segments)
        if answer.details["service"] == nil { answer.details["service"] = front.service.rawValue }
        return answer
    }

    /// Answers with an error that names the allowed methods, including the one for preflight requests (rule SR-19).
    ///
    /// - Parameter answer: the error answer in the format of the API.
    package func refuse(_ problem: HTTPProblem, of target: RequestTarget, with answer: HTTPAnswer) {
        var answer = answer
        if let methods = problem.allowedMethods {
            let hasOptions = core.crossOrigin.isOn && target.segments != ["metrics"]
            answer.fields.append(("allow", hasOptions ? methods + ", OPTIONS" : methods))
        }
        self.answer(answer)
    }

    /// Delays the request until event loops have room for the messages that it publishes.
    ///
    /// - Parameters:
    ///   - deadline: the deadline of a request that has been delayed before.
    ///   - attempt: repeats the request; it answers with ``finish(_:_:)``, or delays the request until the same deadline.
    package func hold(
        until loops: EventLoopSet, or refusal: HTTPAnswer, _ deadline: MonotonicInstant?,
        _ attempt: @escaping (_ number: UInt32, _ deadline: MonotonicInstant) -> Void
    ) {
        machine.answerLater()
        if deadline == nil { loop.state.figures.held += 1 }
        let (number, deadline) = (number, deadline ?? core.now.advanced(by: core.settings.publishTimeout))
        loop.hold(
            BackpressureQueue.Request(
                connection: self, number: number, loops: loops, deadline: deadline, refusal: refusal,
                attempt: { attempt(number, deadline) }))
    }

    /// The server's address for the client of a request, without a slash at its end: `https://example.com/prefix`. Nil when the
    /// request has no host.
    package func base(_ fields: HTTPHeaders) -> String? {
        guard let host = fields.first(name: "host"), !host.isEmpty else { return nil }
        let origin = RequestOrigin(
            fields, usesTLS: core.settings.usesTLS, address: nil, trustsProxyHeaders: core.settings.trustsProxyHeaders)
        return (origin.usesTLS ? "https://" : "http://") + host + core.prefix.text
    }

    // MARK: The server's own paths

    private func handleOwn(_ request: HTTPRequest) {
        do throws(HTTPProblem) {
            let route = try ServerRoute(method: request.method, segments: request.target.segments)
            kind = route.kind
            switch route {
            case .health: answer(HTTPAnswer(.json, Array(#"{"status":"ok"}"#.utf8)))
            case .ready: answer(ready())
            case .metrics:
                guard core.settings.tellsMetrics else { throw .notFound }
                answerMetrics()
            case .description(let file):
                guard let description = host.description(file) else { throw .notFound }
                answer(HTTPAnswer(.json, description))
            }
        } catch {
            refuse(error, of: request.target, with: HTTPAnswer(error))
        }
    }

    /// The reasons are for people; probes use only the status (rule ME-10).
    private func ready() -> HTTPAnswer {
        let reasons = core.readiness
        guard !reasons.isEmpty else { return HTTPAnswer(.json, Array(#"{"status":"ready"}"#.utf8)) }
        let list = reasons.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        return HTTPAnswer(status: 503, .json, Array(#"{"status":"unavailable","reasons":[\#(list)]}"#.utf8))
    }

    /// Asks every event loop for its counters, so the answer is not immediate.
    private func answerMetrics() {
        let reply = expectAnswer()
        host.metrics(on: loop.eventLoop).whenComplete { result in
            switch result {
            case .success(let text): reply(HTTPAnswer(.metrics, Array(text.utf8)))
            case .failure: reply(HTTPAnswer(HTTPProblem(503, "The server is shutting down.", retryAfter: 1)))
            }
        }
    }
}
