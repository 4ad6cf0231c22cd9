import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers

@testable import PubNub

/// Answers requests with what the test prepared; the last answer counts for all further ones.
final class ScriptedCalls: CallTransport {
    enum Answer: Sendable {
        case status(Int, String, type: String = "application/json", retryAfter: String? = nil)
        case redirect(String)
        case failure(ConnectionFailure)
        case never
    }

    private struct State {
        var answers: [Answer] = []
        var sent: [HTTPExchange] = []
        var cancelled = 0
    }

    private let state = NIOLockedValueBox(State())

    init(_ answers: [Answer]) {
        state.withLockedValue { $0.answers = answers }
    }

    init(_ answers: Answer...) {
        state.withLockedValue { $0.answers = answers }
    }

    var sent: [HTTPExchange] { state.withLockedValue { $0.sent } }
    var cancelled: Int { state.withLockedValue { $0.cancelled } }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let answer = state.withLockedValue { state in
            state.sent.append(exchange)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first ?? .never
        }
        switch answer {
        case .status(let status, let body, let type, let retryAfter):
            var headers = [HTTPField("Content-Type", type)]
            if let retryAfter { headers.append(HTTPField("Retry-After", retryAfter)) }
            completion(.success(HTTPCallAnswer(status: status, headers: headers, body: Array(body.utf8), url: "")))
        case .redirect(let place):
            completion(.success(HTTPCallAnswer(status: 307, headers: [HTTPField("Location", place)], url: "")))
        case .failure(let failure):
            completion(.failure(failure))
        case .never:
            break
        }
        return { [state] in state.withLockedValue { $0.cancelled += 1 } }
    }
}
