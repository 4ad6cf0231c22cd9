import AsyncHTTPClient
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

/// Collects an answer, and remembers whether the request had begun to leave: before that, only the proxy, if there is one, can be
/// at fault (rule HT-15).
final class CallDelegate: HTTPClientResponseDelegate {
    typealias Response = HTTPClient.Response

    private let accumulator: ResponseAccumulator
    private let sent: NIOLockedValueBox<Bool>

    /// - Parameter sent: becomes true with the first byte of the request.
    init(request: HTTPClient.Request, bodyLimit: Int, sent: NIOLockedValueBox<Bool>) {
        accumulator = ResponseAccumulator(request: request, maxBodySize: bodyLimit)
        self.sent = sent
    }

    func didSendRequestHead(task: HTTPClient.Task<Response>, _ head: HTTPRequestHead) {
        sent.withLockedValue { $0 = true }
    }

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        accumulator.didReceiveHead(task: task, head)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Response>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        accumulator.didReceiveBodyPart(task: task, part)
    }

    func didReceiveError(task: HTTPClient.Task<Response>, _ error: any Error) {
        accumulator.didReceiveError(task: task, error)
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
        try accumulator.didFinishRequest(task: task)
    }
}
