import HTTPTransport
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// Sends events to one webhook receiver over HTTP, without ever delaying the caller (rules SW-20 to SW-28, NV-41 to NV-46).
///
/// Events that are not delivered in time are dropped and counted, so that a receiver that does not answer has no effect on the server.
package final class WebhookDelivery: Sendable {
    /// The counters of the receiver's events and requests, since this delivery was made.
    package struct Counts: Hashable, Sendable {
        package var delivered = 0
        /// The number of events that were dropped without delivery.
        package var dropped = 0
        /// The number of failed requests; most of them were repeated.
        package var failedRequests = 0
        /// The number of events that have not been sent yet.
        package var queued = 0
        /// The number of events that could not be stored in Redis for the next leader of the cluster, because there was no room.
        package var unkept = 0
        /// The times from sending a request to its answer or failure.
        package var times = LatencyHistogram()
        /// The reason why the last request failed; nil when it succeeded.
        package var problem: String?
        /// The last failed request, even if later ones succeeded.
        package var lastFailure: Failure?

        package init(delivered: Int = 0, dropped: Int = 0, failedRequests: Int = 0, queued: Int = 0) {
            self.delivered = delivered
            self.dropped = dropped
            self.failedRequests = failedRequests
            self.queued = queued
        }

        /// The counts of a receiver that was replaced or removed. They are added to the counts of the application's other receivers, so
        /// they lack the problem and the last failure, which concern only this receiver.
        package var settled: Counts {
            var counts = self
            (counts.problem, counts.lastFailure) = (nil, nil)
            return counts
        }

        package static func += (left: inout Counts, right: Counts) {
            left.delivered += right.delivered
            left.dropped += right.dropped
            left.failedRequests += right.failedRequests
            left.queued += right.queued
            left.unkept += right.unkept
            left.times.add(right.times)
            left.problem = left.problem ?? right.problem
            if let failure = right.lastFailure, failure.instant > left.lastFailure?.instant ?? .init(nanoseconds: .min) {
                left.lastFailure = failure
            }
        }
    }

    /// The reason and the time of a failed request.
    package struct Failure: Hashable, Sendable {
        /// The HTTP status or the connection's error, without the receiver's address and without contents.
        package var reason: String
        package var instant: MonotonicInstant
    }

    private struct State: Sendable {
        var queue: WebhookQueue
        var isClosed = false
        /// Whether sending is stopped, so that no new requests are sent.
        var isHeld = false
        /// Completed when no request is in progress; nil unless a caller of ``hold(within:)`` waits for that.
        var rested: EventLoopPromise<Void>?
        var unkept = 0
        /// Whether a call of ``work()`` is scheduled on the event loop.
        var isScheduled = false
        /// Completed when all events have been sent; nil unless a caller of ``close(within:)`` waits for that.
        var flushed: EventLoopPromise<Void>?
        var timer: Scheduled<Void>?
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var times = LatencyHistogram()
        /// The reason why the last request failed; nil when it succeeded.
        var problem: String?
        var lastFailure: Failure?
        /// The time of the last log warning that the receiver fails (rule SO-120). ``isWarned`` is true until the receiver's recovery is
        /// logged, too.
        var warned: MonotonicInstant?
        var isWarned = false
    }

    private let clock: ServerClock
    private let eventLoop: any EventLoop
    private let logger: Logger
    /// Makes the HTTP request for a batch; called for each attempt.
    private let call: @Sendable (WebhookBatch) -> HTTPCall
    /// Returns whether an HTTP status means that the receiver will never accept the batch.
    private let isFinal: @Sendable (Int) -> Bool
    /// Stores events so that they survive this process; nil when events are not stored.
    private let journal: (any WebhookJournal)?
    /// The HTTP client. It allows many connections per host, because receivers of many applications may share one host name, and receivers
    /// that do not answer must not use up the connections of the others.
    private let caller = HTTPCaller(bodyLimit: 1 << 20, connectionsPerHost: 1 << 12)
    private let state: NIOLockedValueBox<State>

    /// The time limit of each request, including its answer.
    package static let timeout = Duration.seconds(10)
    /// How long a stopping server waits until all events have been sent.
    package static let flushTimeout = Duration.seconds(5)
    /// The shortest time between two warnings about a receiver that fails and recovers repeatedly.
    package static let warningInterval = Duration.seconds(60)
    /// How long a resigning leader of a cluster waits for answers to requests in progress.
    package static let holdTimeout = Duration.seconds(1)

    /// - Parameters:
    ///   - logger: a logger with service, application and receiver in its metadata; neither URLs nor contents are logged.
    ///   - journal: stores numbered events until they have been delivered or dropped.
    package init(
        policy: WebhookPolicy, clock: ServerClock, eventLoop: any EventLoop, logger: Logger,
        journal: (any WebhookJournal)? = nil, isFinal: @escaping @Sendable (Int) -> Bool,
        call: @escaping @Sendable (WebhookBatch) -> HTTPCall
    ) {
        self.clock = clock
        self.eventLoop = eventLoop
        self.logger = logger
        self.journal = journal
        self.call = call
        self.isFinal = isFinal
        state = NIOLockedValueBox(State(queue: WebhookQueue(policy: policy)))
    }

    package var counts: Counts {
        state.withLockedValue { state in
            let queue = state.queue
            var counts = Counts(
                delivered: queue.delivered, dropped: queue.dropped, failedRequests: queue.failedRequests, queued: queue.count)
            counts.unkept = state.unkept
            counts.times = state.times
            counts.problem = state.problem
            counts.lastFailure = state.lastFailure
            return counts
        }
    }

    /// Whether all events have been delivered or dropped.
    package var isIdle: Bool { state.withLockedValue { $0.queue.isEmpty } }

    /// Queues an event; another thread sends it. The call is cheap enough to be made under a lock.
    package func tell(_ event: WebhookEvent) {
        let (mustSchedule, isFirstLoss, ended) = state.withLockedValue { state in
            // Events are ignored after ``close(within:)``. Stored events are not lost, because the next process sends them.
            guard !state.isClosed else { return (false, false, [UInt64]()) }
            if journal != nil, event.number == nil { state.unkept += 1 }
            let hasRoom = state.queue.append(event, at: clock.monotonic())
            defer { state.isScheduled = true }
            return (!state.isScheduled, !hasRoom && state.queue.dropped == 1, state.queue.takeEnded())
        }
        journal?.forget(ended)
        if isFirstLoss { logger.warning("webhook queue is full: new events are dropped, because the receiver is too slow") }
        if mustSchedule { eventLoop.execute { self.work() } }
    }

    /// Queues an event that an earlier process has stored and not delivered.
    package func restore(_ kept: KeptWebhookEvent) {
        // The age is limited to one hour, the greatest age of events: how much older an event is does not matter.
        let age = min(max(kept.age, .zero), .seconds(3_600))
        let mustSchedule = state.withLockedValue { state in
            guard !state.isClosed else { return false }
            state.queue.restore(kept.event, since: clock.monotonic().advanced(by: .zero - age))
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { eventLoop.execute { self.work() } }
    }

    // MARK: Sending

    /// Sends all batches that are due, and schedules the next call. Called on the event loop.
    private func work() {
        while true {
            let (step, flushed, rested) = state.withLockedValue { state in
                state.isScheduled = false
                let step = state.isClosed || state.isHeld ? .rest : state.queue.next(at: clock.monotonic())
                return (step, state.queue.isEmpty ? state.flushed : nil, state.queue.isSending ? nil : state.rested)
            }
            flushed?.succeed()
            rested?.succeed()
            switch step {
            case .send(let batch): send(batch)
            case .wait(let instant): return wake(at: instant)
            case .rest: return
            }
        }
    }

    private func wake(at instant: MonotonicInstant) {
        let pause = max(instant.since(clock.monotonic()), .milliseconds(1))
        let scheduled = eventLoop.scheduleTask(in: TimeAmount(pause)) { self.work() }
        let last = state.withLockedValue { state in
            defer { state.timer = state.isClosed ? nil : scheduled }
            return state.isClosed ? scheduled : state.timer
        }
        last?.cancel()
    }

    private func send(_ batch: WebhookBatch) {
        let start = clock.monotonic()
        let cancel = caller.send(call(batch), timeout: Self.timeout) { result in
            let time = self.clock.monotonic().nanoseconds - start.nanoseconds
            self.state.withLockedValue { $0.times.observe(nanoseconds: time) }
            switch result {
            case .success(let answer) where answer.isSuccess: self.ended(batch.id) { $0.finish(batch.id) }
            case .success(let answer):
                self.failed(batch.id, "status \(answer.status)", isFinal: self.isFinal(answer.status))
            case .failure(let failure): self.failed(batch.id, failure.reason, isFinal: false)
            }
        }
        state.withLockedValue { state in
            // If the answer has already arrived, there is no request to cancel.
            if state.queue.isUnderWay(batch.id) { state.cancellations[batch.id] = cancel }
        }
    }

    private func ended(_ id: UInt64, problem: String? = nil, _ change: (inout WebhookQueue) -> Void) {
        let (isClosed, recovers, ended) = state.withLockedValue { state in
            state.problem = problem
            state.cancellations[id] = nil
            change(&state.queue)
            let recovers = problem == nil && state.isWarned
            if recovers { state.isWarned = false }
            return (state.isClosed, recovers, state.queue.takeEnded())
        }
        if recovers { logger.notice("the webhook receiver accepts events again") }
        journal?.forget(ended)
        // A closed delivery does nothing here, because the event loop may have ended together with the server.
        if !isClosed { eventLoop.execute { self.work() } }
    }

    private func failed(_ id: UInt64, _ reason: String, isFinal: Bool) {
        let (now, chance) = (clock.monotonic(), Double.random(in: 0..<1))
        var dropped = 0
        let isNews = state.withLockedValue { state in
            state.lastFailure = Failure(reason: reason, instant: now)
            guard !state.isWarned, state.warned.map({ now.since($0) >= Self.warningInterval }) ?? true else { return false }
            (state.isWarned, state.warned) = (true, now)
            return true
        }
        ended(id, problem: reason) { dropped = $0.fail(id, isFinal: isFinal, at: now, chance: chance) }
        if dropped > 0 {
            logger.warning("webhook events dropped without delivery", metadata: ["events": "\(dropped)", "reason": "\(reason)"])
        } else if isNews {
            logger.warning("webhook request failed; it will be retried", metadata: ["reason": "\(reason)"])
        } else {
            logger.info("webhook request failed", metadata: ["reason": "\(reason)"])
        }
    }

    /// Sends batches that are due by the server's clock.
    package func sweep() {
        if !isIdle { eventLoop.execute { self.work() } }
    }

    // MARK: Stopping

    /// Stops sending new requests, and waits for at most `limit` for the answers to requests in progress. The next leader sends the stored
    /// events, without repeating those that were delivered meanwhile.
    package func hold(within limit: Duration = holdTimeout) async {
        let promise = eventLoop.makePromise(of: Void.self)
        let isAtRest = state.withLockedValue { state in
            state.isHeld = true
            guard !state.isClosed, state.queue.isSending, state.rested == nil else { return true }
            state.rested = promise
            return false
        }
        guard !isAtRest else { return promise.succeed() }
        let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) { promise.succeed() }
        // This cannot throw: the promise never fails.
        try? await promise.futureResult.get()
        timeout.cancel()
    }

    /// Waits for at most `limit` until all events have been sent, and drops the rest. No events are accepted afterwards. With a journal
    /// this does not wait, because another process sends the stored events.
    package func close(within limit: Duration = flushTimeout) async {
        let promise = eventLoop.makePromise(of: Void.self)
        let isIdle = state.withLockedValue { state in
            guard journal == nil, !state.isClosed, !state.queue.isEmpty, state.flushed == nil else { return true }
            state.flushed = promise
            state.queue.hurry()
            return false
        }
        if isIdle {
            promise.succeed()
        } else {
            eventLoop.execute { self.work() }
            let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) { promise.succeed() }
            try? await promise.futureResult.get()
            timeout.cancel()
        }
        let (dropped, timer, cancellations, rested) = state.withLockedValue { state in
            state.isClosed = true
            let before = state.queue.dropped
            state.queue.abandon()
            defer { (state.timer, state.cancellations, state.rested) = (nil, [:], nil) }
            return (state.queue.dropped - before, state.timer, state.cancellations, state.rested)
        }
        rested?.succeed()
        timer?.cancel()
        for cancel in cancellations.values { cancel() }
        if dropped > 0 {
            logger.warning("webhook events dropped without delivery", metadata: ["events": "\(dropped)", "reason": "stopped"])
        }
    }
}
