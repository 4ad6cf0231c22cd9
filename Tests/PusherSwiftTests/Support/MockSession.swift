import Foundation
import NIOConcurrencyHelpers

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` as tests of apps replace it: its tasks end at once with what a test says.
///
/// `@unchecked Sendable`: what changes is behind `state`, a `NIOLockedValueBox`.
final class MockSession: URLSession, @unchecked Sendable {
    private let state = NIOLockedValueBox((status: 200, body: "", requests: [URLRequest]()))

    var requests: [URLRequest] { state.withLockedValue { $0.requests } }

    static func answering(_ status: Int, _ body: String) -> MockSession {
        let session = MockSession(configuration: .ephemeral)
        session.state.withLockedValue { $0 = (status, body, []) }
        return session
    }

    override func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        let (status, body) = state.withLockedValue { state in
            state.requests.append(request)
            return (state.status, state.body)
        }
        let response = request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: nil, headerFields: nil)
        }
        return Task { completionHandler(body.isEmpty ? nil : Data(body.utf8), response, nil) }
    }

    final class Task: URLSessionDataTask, @unchecked Sendable {  // Immutable.
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        override func resume() { end() }
        override func cancel() {}
    }
}
