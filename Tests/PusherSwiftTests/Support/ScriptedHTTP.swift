import ConnectionEngine
import NIOConcurrencyHelpers

@testable import PusherSwift

/// Answers authorisation requests as a test says.
final class ScriptedHTTP: AuthorizationHTTP {
    typealias Answer = Result<AuthorizationResponse, ConnectionFailure>

    private struct State {
        var requests: [AuthorizationRequest] = []
        var cancelled = 0
        var answer: @Sendable (AuthorizationRequest) -> Answer? = { _ in nil }
    }

    private let state = NIOLockedValueBox(State())

    var requests: [AuthorizationRequest] { state.withLockedValue { $0.requests } }
    var cancelled: Int { state.withLockedValue { $0.cancelled } }

    /// A nil leaves the request unanswered.
    func answer(_ answer: @escaping @Sendable (AuthorizationRequest) -> Answer?) {
        state.withLockedValue { $0.answer = answer }
    }

    func answer(_ status: Int, _ body: String) {
        answer { _ in .success(AuthorizationResponse(status: status, headers: [], body: Array(body.utf8))) }
    }

    func send(
        _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
        completion: @escaping @Sendable (Answer) -> Void
    ) -> @Sendable () -> Void {
        let answer = state.withLockedValue { state in
            state.requests.append(request)
            return state.answer
        }
        if let result = answer(request) { completion(result) }
        return { [weak self] in self?.state.withLockedValue { $0.cancelled += 1 } }
    }
}
