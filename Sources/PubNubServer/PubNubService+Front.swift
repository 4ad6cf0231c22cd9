import NIOHTTP1
import PubNubProtocol
import ServerRuntime
import WireCoding

extension PubNubService: ServerFront {
    package var service: ServiceName { .pubnub }

    package func owns(_ segments: [String]) -> Bool { PubNubAddress.owns(segments) }

    package func refusal(_ problem: HTTPProblem) -> HTTPAnswer { HTTPAnswer(PubNubErrorBody(problem)) }

    /// Answers a poll whose target can be parsed without copying it. Returns false for any other request.
    package func answer(plain target: UnsafeRawBufferPointer, for connection: HTTPConnection) -> Bool {
        guard let subscribe = SubscribeTarget(target) else { return false }
        connection.kind = pollKind
        answer(subscribe, target, for: connection)
        return true
    }

    package func answer(_ request: HTTPRequest, for connection: HTTPConnection) {
        connection.kind = requestKind
        do throws(HTTPProblem) {
            let address = try PubNubAddress(method: request.method, segments: request.target.segments)
            let fields = request.headers
            let request = PubNubServerRequest(
                method: request.method, target: request.target, body: request.body, ifMatch: fields.first(name: "if-match"),
                client: connection.client(fields)?.text)
            answer(request, address, fields: fields, for: connection)
        } catch {
            connection.refuse(error, of: request.target, with: refusal(error))
        }
    }

    private func answer(
        _ request: PubNubServerRequest, _ address: PubNubAddress, fields: HTTPHeaders, for connection: HTTPConnection
    ) {
        if case .time = address.route {
            return connection.answer(.pubnub(PubNubFrames.time(Timetoken(rawValue: storage.tokens.time))))
        }
        let isPoll = if case .subscribe = address.route { true } else { false }
        let application: PubNubApplication
        do throws(PubNubErrorBody) {
            // In a cluster, this server checks the access rights of polls. The leader checks the rights of the requests that it answers.
            application = try requests.application(for: request, address, isJudged: cluster == nil || isPoll)
        } catch {
            return connection.answer(described(HTTPAnswer(error), of: address.subscribeKey, request: request))
        }
        if isPoll, let refusal = application.pollRefusal {
            return connection.answer(described(HTTPAnswer(refusal), of: address.subscribeKey, request: nil))
        }
        switch address.route {
        case .time: return
        case .subscribe:
            // `answer(plain:for:)` has already answered all polls that it could parse in place. So this poll has another form or is
            // malformed.
            subscribe(request, address.route, of: application, for: connection)
        case .file(let route): answer(request, route, of: application, fields: fields, for: connection)
        case .publish, .signal, .publishFile:
            // A publish waits while any event loop is congested. The event loops of the message's subscribers are not known yet, so any of
            // them may be congested.
            let full = context.congestion.full
            guard full.isEmpty else {
                return connection.hold(until: full, or: HTTPAnswer(.serviceUnavailable), nil) { _, _ in
                    self.perform(request, address.route, of: application, for: connection)
                }
            }
            perform(request, address.route, of: application, for: connection)
        default: perform(request, address.route, of: application, for: connection)
        }
    }

    /// Performs a request: in a cluster the leader answers it, otherwise this process.
    func perform(
        _ request: PubNubServerRequest, _ route: PubNubRoute, of application: PubNubApplication, for connection: HTTPConnection
    ) {
        let send = connection.expectAnswer()
        let reply: HTTPReply = { [self] answer in
            send(answer.status < 400 ? answer : described(answer, of: application.subscribeKey, request: request))
        }
        if let cluster {
            cluster.forward(request, route, of: application, counts: publishedCounts, reply: reply)
        } else {
            requests.answer(request, route, of: application, reply: reply)
        }
    }

    /// Adds log details to a refusal: the keyset, and for 403 the reason. The client's answer does not contain the reason (rule SO-150).
    private func described(_ answer: HTTPAnswer, of subscribeKey: String, request: PubNubServerRequest?) -> HTTPAnswer {
        var answer = answer
        answer.details["service"] = service.rawValue
        guard let application = application(subscribeKey: subscribeKey) else {
            answer.details["named"] = logKey(subscribeKey)
            return answer
        }
        answer.details["app"] = logText(application.subscribeKey.utf8)
        if answer.status == 403, let request {
            let access = PubNubAccess(application: application)
            answer.details.merge(access.explanation(of: answer.body, to: request)) { $1 }
        }
        return answer
    }

    // MARK: Polls

    private func polls(of application: PubNubApplication, for connection: HTTPConnection) -> PubNubPolls {
        mailboxes[connection.loop.number].part.polls(of: application)
    }

    private func answer(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer, for connection: HTTPConnection) {
        guard bytes.count <= RequestTarget.maximumBytes else { return connection.answer(HTTPAnswer(.uriTooLong)) }
        let key = UnsafeRawBufferPointer(rebasing: bytes[target.subscribeKey])
        // In most cases the poll is for the keyset of the connection's previous poll, so no lookup is needed.
        if let poll = connection.exchange as? HeldPoll, poll.polls.application.isOpenToAll,
            poll.polls.application.subscribeKey.utf8.elementsEqual(key)
        {
            return poll.polls.subscribe(target, bytes, for: connection)
        }
        guard let name = PercentDecoding.decode(key, plusIsSpace: false), let application = application(subscribeKey: name) else {
            let name = PercentDecoding.decode(key, plusIsSpace: false) ?? ""
            return connection.answer(described(HTTPAnswer(.invalidSubscribeKey), of: name, request: nil))
        }
        if let refusal = application.pollRefusal {
            return connection.answer(described(HTTPAnswer(refusal), of: application.subscribeKey, request: nil))
        }
        guard application.keyset.requiresGrants else {
            return polls(of: application, for: connection).subscribe(target, bytes, for: connection)
        }
        do throws(HTTPProblem) {
            let requestTarget = try RequestTarget(parsing: bytes)
            let request = PubNubServerRequest(method: "GET", target: requestTarget, body: [])
            let address = try PubNubAddress(method: "GET", segments: requestTarget.segments)
            let access = PubNubAccess(application: application)
            let version = access.version
            if let refusal = access.refusal(of: request, address.route) {
                return connection.answer(described(HTTPAnswer(refusal), of: application.subscribeKey, request: request))
            }
            polls(of: application, for: connection).subscribe(
                target, bytes, for: connection, access: access.held(request, address.route, version: version),
                isJudged: true, owner: access.owner(of: request))
        } catch {
            connection.answer(refusal(error))
        }
    }

    /// Handles a poll that `answer(plain:for:)` could not parse in place.
    private func subscribe(
        _ request: PubNubServerRequest, _ route: PubNubRoute, of application: PubNubApplication, for connection: HTTPConnection
    ) {
        // The grants never have the version -1, so the next sweep checks the poll's rights again. This also finds a right that has ended
        // since the request was checked.
        let isJudged = application.keyset.requiresGrants
        let access = isJudged ? PubNubAccess(application: application).held(request, route, version: -1) : nil
        var target = request.target.rawPath
        if !request.target.rawQuery.isEmpty { target += "?" + request.target.rawQuery }
        target.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard let parsed = SubscribeTarget(bytes) else { return connection.answer(HTTPAnswer(.couldNotParse)) }
            polls(of: application, for: connection).subscribe(
                parsed, bytes, for: connection, access: access, isJudged: isJudged,
                owner: PubNubAccess(application: application).owner(of: request))
        }
    }

    // MARK: Event loops and metrics

    package func resident(on loop: EventLoopContext) -> any LoopResident { mailboxes[loop.number].part }

    package func collect(on loop: EventLoopContext) -> any Sendable { mailboxes[loop.number].part.counts }

    package func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText) {
        let counts = collected.compactMap { $0 as? [MetricSlot: PubNubCounts] }.reduce(into: [:]) { total, loop in
            total.merge(loop) { left, right in
                var sum = left
                sum += right
                return sum
            }
        }
        let published = publishedCounts.withLockedValue { $0 }
        out.family(
            "held_polls", .gauge, help: "PubNub subscribe requests (long polls) that wait for messages now.", of: service, names
        ) {
            counts[$0]?.held ?? 0
        }
        out.family("polls_total", .counter, help: "PubNub subscribe requests (long polls) received.", of: service, names) {
            counts[$0]?.polls ?? 0
        }
        out.family(
            "messages_published_total", .counter, help: "Messages, signals and fires acknowledged by the PubNub API.",
            of: service, names
        ) { published[$0] }
        out.family("messages_polled_total", .counter, help: "Messages in answers to PubNub polls.", of: service, names) {
            counts[$0]?.messages ?? 0
        }
        out.webhooks(webhookCounts)
    }
}

extension PubNubErrorBody {
    /// The error answer, in PubNub's format, for a malformed request.
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
