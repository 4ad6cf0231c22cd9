import HTTPTransport
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NexconnProtocol
import RealtimeHub
import WireCoding

/// Tells an application's own server what happens, over HTTP, without ever holding anything up (rules NV-40 to NV-46).
///
/// Whatever is not told in time is given up and counted: the server goes on whether the receiver answers or not.
final class NexconnWebhooks: Sendable {
    private let url: String
    private let key: String
    private let secret: Secret
    private let clock: ServerClock
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let caller = HTTPCaller()
    /// Different for each start, so that ids of batches are.
    private let prefix: String
    private let state = NIOLockedValueBox(State())

    private struct State: Sendable {
        var queue = WebhookQueue()
        var isClosed = false
        /// Somebody waits until all has been told.
        var flushed: EventLoopPromise<Void>?
        /// The pause before the next attempt.
        var pause: Scheduled<Void>?
        var cancel: (@Sendable () -> Void)?
    }

    /// For each request, answer included.
    static let timeout = Duration.seconds(10)
    /// How long a server that stops waits until all has been told.
    static let flushTimeout = Duration.seconds(5)

    init(url: String, settings: ChatApplication, clock: ServerClock, eventLoop: any EventLoop, logger: Logger) {
        self.url = url
        key = settings.key
        secret = settings.secret
        self.clock = clock
        self.eventLoop = eventLoop
        self.logger = logger
        prefix = Hex.text((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Events that were told, and those that were given up.
    var counts: (delivered: Int, dropped: Int) {
        state.withLockedValue { ($0.queue.delivered, $0.queue.dropped) }
    }

    /// Takes an event; it is sent from elsewhere. Cheap enough to be called under a lock.
    func tell(_ event: WebhookEvent) {
        let mustSend = state.withLockedValue { state in
            guard !state.isClosed else { return false }
            state.queue.append(event)
            return state.queue.current == nil
        }
        if mustSend { eventLoop.execute { self.sendNext() } }
    }

    // MARK: Sending

    private func sendNext() {
        let batch = state.withLockedValue { state in
            state.isClosed ? nil : state.queue.begin(at: clock.monotonic())
        }
        if let batch { return send(batch) }
        // Whoever waits for the end need not any more.
        state.withLockedValue { $0.queue.isEmpty ? $0.flushed : nil }?.succeed()
    }

    private func send(_ batch: WebhookBatch) {
        let time = Int64(clamping: clock.unixTicks() / NexconnTimeline.ticksPerMillisecond)
        let nonce = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let fields = [
            HTTPField("Content-Type", "application/json"), HTTPField("App-Key", key), HTTPField("Nonce", nonce),
            HTTPField("Timestamp", String(time)),
            HTTPField(
                "Signature", NexconnServerSignature.sign(secret: secret.revealed, nonce: nonce, timestamp: String(time))),
        ]
        let call = HTTPCall(method: "POST", url: url, headers: fields, body: batch.body(prefix: prefix, time: time))
        let cancel = caller.send(call, timeout: Self.timeout) { result in
            switch result {
            case .success(let answer) where answer.isSuccess: self.done()
            case .success(let answer): self.failed("status \(answer.status)", isFinal: Self.isFinal(answer.status))
            case .failure(let failure): self.failed(failure.reason, isFinal: false)
            }
        }
        state.withLockedValue { $0.cancel = cancel }
    }

    /// A receiver that does not want a batch will not want it later either, unless it says so.
    private static func isFinal(_ status: Int) -> Bool {
        (300..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    private func done() {
        state.withLockedValue { $0.queue.finish() }
        eventLoop.execute { self.sendNext() }
    }

    private func failed(_ reason: String, isFinal: Bool) {
        let (pause, dropped) = state.withLockedValue { state in
            let before = state.queue.dropped
            let pause = state.queue.fail(isFinal: isFinal, at: clock.monotonic())
            return (pause, state.queue.dropped - before)
        }
        guard let pause else {
            logger.warning("webhook given up", metadata: ["app": "\(key)", "events": "\(dropped)", "reason": "\(reason)"])
            return eventLoop.execute { self.sendNext() }
        }
        logger.info("webhook failed", metadata: ["app": "\(key)", "reason": "\(reason)"])
        let scheduled = eventLoop.scheduleTask(in: TimeAmount(pause)) { self.sendAgain() }
        state.withLockedValue { state in
            if state.isClosed { scheduled.cancel() } else { state.pause = scheduled }
        }
    }

    private func sendAgain() {
        let batch = state.withLockedValue { state in
            state.pause = nil
            return state.isClosed ? nil : state.queue.current
        }
        if let batch { send(batch) }
    }

    // MARK: The end

    /// Waits for a while until all has been told; the rest is given up. Nothing is taken any more afterwards.
    func close(within limit: Duration = flushTimeout) async {
        let promise = eventLoop.makePromise(of: Void.self)
        let (isIdle, pause) = state.withLockedValue { state in
            guard !state.isClosed, !state.queue.isEmpty else { return (true, Scheduled<Void>?.none) }
            state.flushed = promise
            return (false, state.pause)
        }
        if isIdle {
            promise.succeed()
        } else {
            if let pause {
                // There is no time to wait for a better moment.
                pause.cancel()
                sendAgain()
            }
            let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) { promise.succeed() }
            try? await promise.futureResult.get()
            timeout.cancel()
        }
        let (dropped, last, cancel) = state.withLockedValue { state in
            state.isClosed = true
            let before = state.queue.dropped
            state.queue.abandon()
            defer { (state.pause, state.cancel) = (nil, nil) }
            return (state.queue.dropped - before, state.pause, state.cancel)
        }
        last?.cancel()
        if dropped > 0 {
            cancel?()
            logger.warning("webhook given up", metadata: ["app": "\(key)", "events": "\(dropped)", "reason": "stopped"])
        }
    }
}
