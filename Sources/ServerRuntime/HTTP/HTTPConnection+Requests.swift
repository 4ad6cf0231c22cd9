import NIOCore
import NIOHTTP1
import ServerValues

/// Passes each request to the service (``ServerFront``) that owns its path.
extension HTTPConnection {
    /// Handles a plain request: a GET without a body that was parsed in place.
    func handle(plain target: UnsafeRawBufferPointer) {
        guard let target = core.prefix.strip(target) else { return handle(outside: target) }
        for front in host.fronts where front.answer(plain: target, for: self) { return }
        do throws(HTTPProblem) {
            handle(HTTPRequest(method: "GET", target: try RequestTarget(parsing: target), headers: [:], body: []))
        } catch {
            answer(refusal(error, RequestTarget.rawSegments(of: target)))
        }
    }

    /// Handles a plain request whose path does not begin with the server's prefix.
    private func handle(outside target: UnsafeRawBufferPointer) {
        do throws(HTTPProblem) {
            let target = outside(try RequestTarget(parsing: target))
            handleOwn(HTTPRequest(method: "GET", target: target, headers: [:], body: []))
        } catch {
            answer(HTTPAnswer(error))
        }
    }

    /// Returns the target of a request outside of the server's prefix. The paths for operators, such as `/health`, are valid there; any
    /// other target is replaced by one that is answered with 404 (rule SR-22).
    private func outside(_ target: RequestTarget) -> RequestTarget {
        ServerRoute.outsidePrefix.contains(target.segments) ? target : target.nowhere
    }

    /// Returns the target of a request from the library's parser without the server's prefix, and removes the prefix from the head.
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

    /// Makes the error answer in the format of the API that owns a target, even when the target cannot be parsed.
    func refusal(_ problem: HTTPProblem, _ target: String) -> HTTPAnswer {
        var target = target
        return refusal(problem, target.withUTF8 { RequestTarget.rawSegments(of: UnsafeRawBufferPointer($0)) })
    }

    /// Makes the error answer to a request whose head is too large for the parser. If the target is too long, its beginning determines the
    /// API and so the format of the answer.
    func refusalOfLargeHead(_ line: RequestLineTracker) -> HTTPAnswer {
        guard line.isTooLong else { return HTTPAnswer(.headerTooLarge) }
        let start = String(decoding: line.start, as: UTF8.self)
        guard let target = core.prefix.strip(start) else { return HTTPAnswer(.targetTooLong) }
        return refusal(.targetTooLong, target)
    }

    /// Makes the error answer for a refusal by ``HTTPConnectionMachine``.
    func answer(to refusal: HTTPConnectionMachine.Refusal) -> HTTPAnswer {
        switch refusal {
        case .malformed: HTTPAnswer(.malformedRequest)
        case .headTooLarge: refusalOfLargeHead(parser?.requestLine ?? RequestLineTracker())
        case .tooSlow: HTTPAnswer(.timeout)
        case .noAnswer: HTTPAnswer(HTTPProblem(503, "The server took too long to answer. Try again later.", retryAfter: 1))
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

    /// Makes the error answer to a request that violates HTTP, with the service's name for the log (rule SO-150).
    private func refusal(_ problem: HTTPProblem, _ segments: [String]) -> HTTPAnswer {
        guard let front = host.front(of: segments) else { return HTTPAnswer(problem) }
        var answer = front.refusal(problem, of: segments)
        if answer.details["service"] == nil { answer.details["service"] = front.service.rawValue }
        return answer
    }

    /// Answers with an error, and names the path's allowed methods in `Allow`, including OPTIONS for preflight requests (rule SR-19).
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

    /// Delays a publish request until the event loops of its subscribers have room for the messages.
    ///
    /// - Parameters:
    ///   - loops: the event loops whose queues are full.
    ///   - refusal: the answer when the deadline passes first.
    ///   - deadline: the deadline of a request that was delayed before; nil for a new one.
    ///   - attempt: repeats the request; it answers with ``finish(_:_:)``, or delays the request again until the same deadline.
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

    /// The server's address as the client sees it, without a slash at its end: `https://example.com/prefix`. Nil when the request has no
    /// `Host` field.
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

    /// Answers `/ready`. The listed reasons are for people; probes use only the status (rule ME-10).
    private func ready() -> HTTPAnswer {
        let reasons = core.readiness
        guard !reasons.isEmpty else { return HTTPAnswer(.json, Array(#"{"status":"ready"}"#.utf8)) }
        let list = reasons.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        return HTTPAnswer(status: 503, .json, Array(#"{"status":"unavailable","reasons":[\#(list)]}"#.utf8))
    }

    /// Answers `/metrics` later, after every event loop has returned its counters.
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
