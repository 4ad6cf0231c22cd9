import ConnectionEngine
import EngineRuntime
import HTTPTransport

/// A client's HTTP request that the test service has not answered yet.
struct TestExchange: Sendable {
    let request: HTTPCall
    let complete: @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    /// Cancels the timer of the client's time limit for the request.
    var cancelTimeout: TimerCancellation?
    /// The data of a PubNub poll that waits for messages; nil for other requests.
    var poll: TestPoll?
    /// Whether the request will never be answered.
    var isLost = false
}

/// A waiting poll of a PubNub client: its channels, and the timetoken after which it requests messages.
struct TestPoll: Sendable {
    var channels: [String]
    var after: UInt64
}

extension ServiceState {
    /// Handles a client's request according to ``ServiceState/mode``.
    mutating func requested(_ id: UInt64) {
        guard let exchange = requests[id] else { return }
        if isNetworkLost { return finish(id, .failure(.noRoute)) }
        let line = DecodedRequest(exchange.request)
        switch mode {
        case .silent: return
        case .holding where line.isOfService: return
        case .refusing(let refusal) where line.isOfService: finish(id, Self.answer(to: line, refusal))
        case .accepting, .refusing, .holding: answer(id, line)
        }
    }

    /// Ends a request.
    mutating func finish(_ id: UInt64, _ result: Result<HTTPCallAnswer, ConnectionFailure>) {
        guard let exchange = requests.removeValue(forKey: id) else { return }
        exchange.cancelTimeout?()
        let answer = result.map { answer in
            var answer = answer
            answer.url = exchange.request.url
            return answer
        }
        outbox.append { exchange.complete(answer) }
    }

    mutating func finish(_ id: UInt64, status: Int = 200, _ body: [UInt8], type: String = "application/json") {
        finish(id, .success(HTTPCallAnswer(status: status, headers: [HTTPField("Content-Type", type)], body: body)))
    }

    mutating func finish(_ id: UInt64, json: String) { finish(id, Array(json.utf8)) }

    /// The numbers of all unanswered requests, oldest first. Requests that will never be answered are left out.
    var openRequests: [UInt64] { requests.filter { !$0.value.isLost }.keys.sorted() }

    private static func answer(to line: DecodedRequest, _ refusal: Refusal) -> Result<HTTPCallAnswer, ConnectionFailure> {
        switch refusal {
        case .unreachable: .failure(.unreachable)
        case .overloaded(let retryAfter): .success(.overloaded(retryAfter))
        case .unknownKey: .success(line.isOfPubNub ? .invalidSubscribeKey : .text(401, "Unknown auth_key"))
        case .invalidToken: .success(line.isOfPubNub ? .tokenIsExpired : .text(401, "Invalid signature"))
        }
    }
}

// Answers without a URL; `finish(_:_:)` sets the URL of the request before it sends the answer.
extension HTTPCallAnswer {
    init(status: Int, headers: [HTTPField], body: [UInt8]) {
        self.init(status: status, headers: headers, body: body, url: "")
    }

    static func overloaded(_ retryAfter: Duration?) -> HTTPCallAnswer {
        var headers = [HTTPField("Content-Type", "application/json")]
        if let retryAfter { headers.append(HTTPField("Retry-After", "\(Int(retryAfter.inSeconds.rounded(.up)))")) }
        return HTTPCallAnswer(
            status: 503, headers: headers, body: Array(#"{"status":503,"error":true,"message":"Overloaded"}"#.utf8))
    }

    static func text(_ status: Int, _ text: String) -> HTTPCallAnswer {
        HTTPCallAnswer(status: status, headers: [HTTPField("Content-Type", "text/plain")], body: Array(text.utf8))
    }
}
