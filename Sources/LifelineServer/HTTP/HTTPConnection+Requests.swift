import NIOCore
import NIOHTTP1
import PubNubProtocol
import RealtimeHub

/// Hands each request to whoever answers it.
extension HTTPConnection {
    /// A GET without a body.
    func handle(plain target: UnsafeRawBufferPointer) {
        guard let target = core.prefix.strip(target) else { return handle(outside: target) }
        if let subscribe = SubscribeTarget(target) {
            kind = .poll
            return handle(subscribe, target)
        }
        do throws(HTTPProblem) {
            handle("GET", try RequestTarget(parsing: target), body: [])
        } catch {
            answer(PubNubAddress.owns(target) ? HTTPAnswer(PubNubErrorBody(error)) : HTTPAnswer(error))
        }
    }

    /// A GET of a path without the server's prefix.
    private func handle(outside target: UnsafeRawBufferPointer) {
        do throws(HTTPProblem) {
            handleOther("GET", outside(try RequestTarget(parsing: target)), body: [])
        } catch {
            answer(HTTPAnswer(error))
        }
    }

    /// Without the prefix there are only the paths that whoever runs the server asks for (rule SR-22).
    private func outside(_ target: RequestTarget) -> RequestTarget {
        Route.outsidePrefix.contains(target.segments) ? target : target.nowhere
    }

    /// The target of a request that the library's parser reads, without the prefix, which is taken off the head too.
    func target(of head: inout HTTPRequestHead) throws(HTTPProblem) -> RequestTarget {
        if let inner = core.prefix.strip(head.uri) {
            head.uri = inner
            return try RequestTarget(parsing: inner)
        }
        let target = outside(try RequestTarget(parsing: head.uri))
        head.uri = "/"
        return target
    }

    /// A request that the library's parser has read.
    func handle(_ head: HTTPRequestHead, _ target: Result<RequestTarget, HTTPProblem>, _ body: [UInt8]) {
        guard case .success(let target) = target else {
            if case .failure(let problem) = target { answer(answer(to: problem, head.uri)) }
            return
        }
        if head.method == .OPTIONS, core.crossOrigin.isOn, !target.segments.isEmpty, target.segments != ["metrics"] {
            return answer(.preflight(isAllowed: core.crossOrigin.allows(page)))
        }
        guard NexconnAPIRoute.owns(target.segments) else { return handle(head.method.rawValue, target, body: body) }
        let full = core.congestion.full
        guard full.isEmpty else {
            return hold(until: full, or: HTTPAnswer(NexconnAPIProblem.unavailable), nil) { _, _ in
                self.call(head, target, body)
            }
        }
        call(head, target, body)
    }

    private func call(_ head: HTTPRequestHead, _ target: RequestTarget, _ body: [UInt8]) {
        NexconnAPI(services: core.nexconn).answer(
            method: head.method.rawValue, segments: target.segments, headers: head.headers, body: body, reply: expectAnswer())
    }

    /// A refusal in the terms of the API that the target belongs to.
    func answer(to problem: HTTPProblem, _ target: String) -> HTTPAnswer {
        if NexconnAPIRoute.owns(target: target) { return HTTPAnswer(NexconnAPIProblem(problem)) }
        var target = target
        let isPubNub = target.withUTF8 { PubNubAddress.owns(UnsafeRawBufferPointer($0)) }
        return isPubNub ? HTTPAnswer(PubNubErrorBody(problem)) : HTTPAnswer(problem)
    }

    private func handle(_ method: String, _ target: RequestTarget, body: [UInt8]) {
        guard PubNubAddress.owns(target.segments) else { return handleOther(method, target, body: body) }
        do throws(HTTPProblem) {
            let address = try PubNubAddress(method: method, segments: target.segments)
            let request = PubNubServerRequest(method: method, target: target, body: body)
            handle(request, address)
        } catch {
            answer(naming(error, of: target, in: HTTPAnswer(PubNubErrorBody(error))))
        }
    }

    private func handle(_ request: PubNubServerRequest, _ address: PubNubAddress) {
        if case .time = address.route {
            return answer(.pubnub(PubNubFrames.time(Timetoken(rawValue: core.pubnub.timeline.now))))
        }
        guard let application = core.pubnub.application(subscribeKey: address.subscribeKey) else {
            return answer(HTTPAnswer(.invalidSubscribeKey))
        }
        if application.keyset.requiresGrants,
            let refusal = PubNubAccess(application: application).refusal(of: request, address.route)
        {
            return answer(HTTPAnswer(refusal))
        }
        switch address.route {
        case .time: return
        case .subscribe:
            // Plain targets of this path do not come here: either it was sent in another way, or something is wrong with it.
            subscribe(request, application)
        case .publish, .signal:
            // Which loops are concerned shows only when the message is visible.
            let full = core.congestion.full
            guard full.isEmpty else {
                return hold(until: full, or: HTTPAnswer(.serviceUnavailable), nil) { _, _ in
                    self.publish(request, address.route, application)
                }
            }
            publish(request, address.route, application)
        default:
            PubNubREST(application: application).answer(request, address.route, reply: expectAnswer())
        }
    }

    private func publish(_ request: PubNubServerRequest, _ route: PubNubRoute, _ application: PubNubApplication) {
        PubNubPublishing(application: application).answer(request, route, reply: expectAnswer())
    }

    // MARK: Polls

    private func handle(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= RequestTarget.maximumBytes else { return answer(HTTPAnswer(.uriTooLong)) }
        let key = UnsafeRawBufferPointer(rebasing: bytes[target.subscribeKey])
        // Nearly always the one that the connection's last poll named.
        if let poll, !poll.polls.application.keyset.requiresGrants,
            poll.polls.application.keyset.subscribeKey.utf8.elementsEqual(key)
        {
            return poll.polls.subscribe(target, bytes, for: self)
        }
        guard let name = PercentDecoding.decode(key, plusIsSpace: false),
            let application = core.pubnub.application(subscribeKey: name)
        else { return answer(HTTPAnswer(.invalidSubscribeKey)) }
        if application.keyset.requiresGrants {
            do throws(HTTPProblem) {
                let target = try RequestTarget(parsing: bytes)
                let request = PubNubServerRequest(method: "GET", target: target, body: [])
                let address = try PubNubAddress(method: "GET", segments: target.segments)
                if let refusal = PubNubAccess(application: application).refusal(of: request, address.route) {
                    return answer(HTTPAnswer(refusal))
                }
            } catch {
                return answer(HTTPAnswer(PubNubErrorBody(error)))
            }
        }
        outlet.polls(of: application).subscribe(target, bytes, for: self)
    }

    /// A poll that did not come in the plain form.
    private func subscribe(_ request: PubNubServerRequest, _ application: PubNubApplication) {
        var target = request.target.rawPath
        if !request.target.rawQuery.isEmpty { target += "?" + request.target.rawQuery }
        target.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard let parsed = SubscribeTarget(bytes) else { return answer(HTTPAnswer(.couldNotParse)) }
            outlet.polls(of: application).subscribe(parsed, bytes, for: self)
        }
    }

    /// A poll's answer as this client gets it.
    func bytes(of answer: PollAnswer) -> ByteBuffer {
        answer.bytes(isLast: closesAfterAnswer, core.crossOrigin, page)
    }

    /// The poll is held: nothing is sent until there is something to say.
    func hold(at now: HubInstant) {
        phase = .polling
        since = now
    }

    // MARK: Other APIs

    /// Every event loop is asked what it has counted, so the answer takes a moment.
    private func answerMetrics() {
        let reply = expectAnswer()
        core.figures(on: outlet.eventLoop).whenComplete { result in
            switch result {
            case .success(let figures): reply(HTTPAnswer(.metrics, Array(figures.text.utf8)))
            case .failure: reply(HTTPAnswer(.serviceUnavailable))
            }
        }
    }

    private func handleOther(_ method: String, _ target: RequestTarget, body: [UInt8]) {
        // A call without header fields, which no signed one is.
        if NexconnAPIRoute.owns(target.segments) { return answer(HTTPAnswer(NexconnAPIProblem.wrongMethod)) }
        do throws(HTTPProblem) {
            let route = try Route(method: method, segments: target.segments)
            kind = RequestKind(route)
            if route == .metrics { return answerMetrics() }
            perform(RESTRequest(method: method, target: target, body: body), route)
        } catch {
            answer(naming(error, of: target, in: HTTPAnswer(error)))
        }
    }

    /// A refusal with the methods that there are, the one with which pages ask what their scripts may do included (rule SR-19).
    private func naming(_ problem: HTTPProblem, of target: RequestTarget, in answer: HTTPAnswer) -> HTTPAnswer {
        guard let methods = problem.allowedMethods else { return answer }
        var answer = answer
        let hasOptions = core.crossOrigin.isOn && target.segments != ["metrics"]
        answer.fields.append(("allow", hasOptions ? methods + ", OPTIONS" : methods))
        return answer
    }

    /// - Parameter held: the number and the deadline of a request that has been held back.
    private func perform(_ request: RESTRequest, _ route: Route, held: (number: UInt32, deadline: HubInstant)? = nil) {
        let result: HTTPAnswer
        do throws(HTTPProblem) {
            result = try RESTService(core: core).answer(request, route)
        } catch {
            result = HTTPAnswer(error)
            if !error.loops.isEmpty {
                return hold(until: error.loops, or: result, held?.deadline) { number, deadline in
                    self.perform(request, route, held: (number, deadline))
                }
            }
        }
        if let held { finish(held.number, result) } else { answer(result) }
    }
}

extension PubNubErrorBody {
    /// What is wrong with a request's form, in the words of PubNub's services.
    init(_ problem: HTTPProblem) {
        self =
            switch problem.status {
            case 413: .bodyTooLarge
            case 414: .uriTooLong
            case 400: .couldNotParse
            case 404: .plain(404, "Not Found")
            case 405: .plain(405, "Method Not Allowed")
            default: .plain(problem.status, problem.message)
            }
    }
}
