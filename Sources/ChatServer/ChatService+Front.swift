import ChatProtocol
import NIOHTTP1
import ServerRuntime

extension ChatService: WebSocketFront {
    package var service: ServiceName { .chat }

    /// The path of WebSocket connections for chat sessions.
    private static let path = ["nexconn", "v1"]

    package func owns(_ segments: [String]) -> Bool { ChatAPIRoute.owns(segments) || segments == Self.path }

    package func refusal(_ problem: HTTPProblem) -> HTTPAnswer { HTTPAnswer(ChatAPIProblem(problem)) }

    package func bodyLimit(_ segments: [String], _ limit: Int) -> Int {
        ChatAPIRoute.owns(segments) ? ChatAPI.maximumBody(limit) : limit
    }

    package func answer(_ request: HTTPRequest, for connection: HTTPConnection) {
        guard ChatAPIRoute.owns(request.target.segments) else {
            connection.kind = .webSocket
            let isGet = request.method == "GET" || request.method == "HEAD"
            let problem = isGet ? HTTPProblem.upgradeRequired : .methodNotAllowed("GET, HEAD")
            return connection.refuse(problem, of: request.target, with: HTTPAnswer(problem))
        }
        connection.kind = requestKind
        // A signed call always has header fields, so a GET without any is refused at once.
        if request.method == "GET", request.headers.isEmpty {
            return connection.answer(HTTPAnswer(ChatAPIProblem.wrongMethod))
        }
        let full = context.congestion.full
        guard full.isEmpty else {
            return connection.hold(until: full, or: HTTPAnswer(ChatAPIProblem.unavailable), nil) { _, _ in
                self.call(request, for: connection)
            }
        }
        call(request, for: connection)
    }

    private func call(_ request: HTTPRequest, for connection: HTTPConnection) {
        let send = connection.expectAnswer()
        let reply: @Sendable (HTTPAnswer) -> Void = { [self] answer in
            send(answer.status < 400 ? answer : described(answer, request.headers))
        }
        if let forwarder = backend.forwarder { return forwarder.answer(request, reply: reply) }
        ChatAPI(backend: backend, node: self).answer(request, reply: reply)
    }

    /// Adds log details to a refusal of a call: the application that the call names, and the text that the call has to sign (rule SO-150).
    private func described(_ answer: HTTPAnswer, _ headers: HTTPHeaders) -> HTTPAnswer {
        var answer = answer
        answer.details["service"] = service.rawValue
        if let key = headers.first(name: "App-Key") {
            let isKnown = gateway(key: key) != nil
            answer.details[isKnown ? "app" : "named"] = isKnown ? logText(key.utf8) : logKey(key)
        }
        if answer.status == 401, let nonce = headers.first(name: "Nonce"), let time = headers.first(name: "Timestamp") {
            answer.details["signed"] = "the secret, then \(logText((nonce + time).utf8))"
        }
        return answer
    }

    // MARK: Sessions

    package func subprotocol(of segments: [String]) -> String? {
        segments == Self.path ? ChatWire.subprotocol : nil
    }

    package func connection(
        _ target: RequestTarget, _ visitor: RequestOrigin, on loop: EventLoopContext
    ) -> WebSocketConnection {
        ChatConnection(service: self, loop: loop)
    }

    // MARK: Periodic work and metrics

    package func resident(on loop: EventLoopContext) -> any LoopResident { mailboxes[loop.number].part }

    package func collect(on loop: EventLoopContext) -> any Sendable { mailboxes[loop.number].part.framesRefused }

    package func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText) {
        let refused = collected.compactMap { $0 as? ApplicationCounts }.reduce(into: ApplicationCounts()) { $0.add($1) }
        let stored = messageCounts.withLockedValue { $0 }
        out.family("chat_messages_total", .counter, help: "Chat messages stored.", of: service, names) { stored[$0] }
        out.family(
            "chat_refusals_total", .counter, help: "Frames of chat sessions that the server could not parse.", of: service, names
        ) { refused[$0] }
        out.webhooks(webhookCounts)
    }
}
