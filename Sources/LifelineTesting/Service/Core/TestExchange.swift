import ConnectionEngine
import EngineRuntime
import HTTPTransport

/// An HTTP request that a client has made and that is not answered yet.
struct TestExchange: Sendable {
    let request: HTTPCall
    let complete: @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    /// Cancels the client's time limit of the request.
    var cancelTimeout: TimerCancellation?
    /// A PubNub poll that waits for messages.
    var poll: TestPoll?
    /// Whether the exchange will never be answered.
    var isLost = false
}

/// A poll of a PubNub client: its channels, and its position.
struct TestPoll: Sendable {
    var channels: [String]
    var after: UInt64
}

extension ServiceState {
    /// A client has made a request.
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

    /// All unanswered requests, oldest first.
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

// Answers get the URL of the request when they are sent.
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
