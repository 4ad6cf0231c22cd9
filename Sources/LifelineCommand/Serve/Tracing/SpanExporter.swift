import HTTPTransport
import LifelineServer
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle
import WireCoding

/// Sends spans to a collector in batches, one request at a time, without blocking the server (rule SO-98).
final class SpanExporter: Sendable {
    /// Sends a request with this body. Passes the reason of a failure to the completion, or nil after a success.
    typealias Send = @Sendable (_ body: [UInt8], _ completion: @escaping @Sendable (String?) -> Void) -> Void

    /// The largest number of queued spans; further spans are dropped.
    static let capacity = 2_048
    static let batch = 512
    /// How long a span waits for further spans of the same batch.
    static let delay = TimeAmount.seconds(1)

    private struct State {
        var spans: [FinishedSpan] = []
        var isScheduled = false
        var isSending = false
        var dropped = 0
        /// Whether the last request failed. Only changes of this value are logged.
        var isFailing = false
        var idle: [EventLoopPromise<Void>] = []
    }

    private let eventLoop: any EventLoop
    private let logger: Logger
    private let host: String
    private let send: Send
    private let state = NIOLockedValueBox(State())

    /// - Parameter eventLoop: the event loop on which batches are made and sent.
    init(eventLoop: any EventLoop, logger: Logger, host: String, send: @escaping Send) {
        (self.eventLoop, self.logger, self.host, self.send) = (eventLoop, logger, host, send)
    }

    var dropped: Int { state.withLockedValue(\.dropped) }

    /// Adds a span. May be called from any thread; never blocks.
    func add(_ span: FinishedSpan) {
        let (schedules, isFull, isFirstLoss) = state.withLockedValue { state in
            guard state.spans.count < Self.capacity else {
                state.dropped += 1
                return (false, false, state.dropped == 1)
            }
            state.spans.append(span)
            let isFull = state.spans.count == Self.batch
            defer { state.isScheduled = true }
            return (!state.isScheduled, isFull, false)
        }
        if isFirstLoss { logger.warning("trace spans are dropped: the queue is full, because the collector is too slow") }
        if schedules { _ = eventLoop.scheduleTask(in: Self.delay) { self.work(isDue: true) } }
        if isFull { eventLoop.execute { self.work(isDue: false) } }
    }

    /// Waits until all spans are sent or dropped.
    func flush() -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        state.withLockedValue { $0.idle.append(promise) }
        eventLoop.execute { self.work(isDue: false) }
        return promise.futureResult
    }

    private func work(isDue: Bool) {
        let (batch, idle) = state.withLockedValue { state -> ([FinishedSpan], [EventLoopPromise<Void>]) in
            if isDue { state.isScheduled = false }
            guard !state.isSending else { return ([], []) }
            guard !state.spans.isEmpty else {
                defer { state.idle = [] }
                return ([], state.idle)
            }
            let batch = Array(state.spans.prefix(Self.batch))
            state.spans.removeFirst(batch.count)
            state.isSending = true
            return (batch, [])
        }
        for promise in idle { promise.succeed() }
        guard !batch.isEmpty else { return }
        send(FinishedSpan.document(batch, version: PackageVersion.current, host: host)) { [self] failure in
            sent(batch.count, failure)
            eventLoop.execute { self.work(isDue: false) }
        }
    }

    /// Handles the result of a request. A batch that the collector did not accept is dropped, because traces may be incomplete.
    private func sent(_ count: Int, _ failure: String?) {
        let hasChanged = state.withLockedValue { state in
            state.isSending = false
            if failure != nil { state.dropped += count }
            defer { state.isFailing = failure != nil }
            return state.isFailing != (failure != nil)
        }
        guard hasChanged else { return }
        if let failure {
            logger.warning(
                "trace spans cannot be exported: they are dropped until the collector accepts them",
                metadata: ["reason": "\(failure)"])
        } else {
            logger.notice("trace spans are exported again")
        }
    }
}

extension SpanExporter {
    /// The closure that sends batches to a collector over HTTP.
    ///
    /// - Parameter url: ends with `/v1/traces`.
    static func sender(to url: String) -> Send {
        let caller = HTTPCaller(connectionsPerHost: 1)
        return { body, completion in
            let call = HTTPCall(method: "POST", url: url, headers: [HTTPField("content-type", "application/json")], body: body)
            _ = caller.send(call, timeout: .seconds(10)) { result in
                switch result {
                case .success(let answer): completion(answer.isSuccess ? nil : "status \(answer.status)")
                case .failure(let failure): completion(failure.reason)
                }
            }
        }
    }
}

/// A service that sends the remaining spans after the server has ended, for two seconds at most.
struct SpanService: Service {
    let exporter: SpanExporter
    let eventLoop: any EventLoop

    func run() async throws {
        try? await gracefulShutdown()
        let promise = eventLoop.makePromise(of: Void.self)
        exporter.flush().whenComplete { _ in promise.succeed() }
        let limit = eventLoop.scheduleTask(in: .seconds(2)) { promise.succeed() }
        try? await promise.futureResult.get()
        limit.cancel()
    }
}
