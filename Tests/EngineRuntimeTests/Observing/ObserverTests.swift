import ConnectionEngine
import EngineRuntime
import TelemetryTestSupport
import Testing

/// What logs and metrics are told (rules OB-1 to OB-3).
@Suite struct ObserverTests {
    private let log = CapturedLog()
    private let metrics = CapturedMetrics()

    private func change(
        _ phase: ConnectionPhase, _ category: StatusCategory, at seconds: Int = 0, cause: ConnectionFailure? = nil,
        retryIn: Duration? = nil
    ) -> ConnectionChange {
        ConnectionChange(
            previous: .idle, phase: phase, category: category, cause: cause, attempt: 1, retryIn: retryIn,
            at: Moment.zero + .seconds(seconds))
    }

    @Test(arguments: [
        (ConnectionPhase.connecting, "debug"), (.connected, "info"), (.waiting, "notice"), (.suspended, "notice"),
        (.disconnecting, "debug"), (.disconnected, "info"), (.failed, "error"),
    ])
    func `OB-1: each phase has a level, and its facts are metadata`(phase: ConnectionPhase, level: String) throws {
        let cause = ConnectionFailure(.timeout, "No answer.", closeCode: 4201)
        LoggingObserver(log.logger(), service: "pusher")
            .changed(change(phase, .timeout, cause: cause, retryIn: .milliseconds(1_500)))
        let line = try #require(log.lines.first)
        #expect(log.lines.count == 1 && "\(line.level)" == level)
        #expect(
            line.metadata == [
                "lifeline.service": "pusher", "lifeline.phase": "\(phase)", "lifeline.category": "timeout",
                "lifeline.attempt": "1", "lifeline.cause": "No answer.", "lifeline.code": "4201", "lifeline.retry_in": "1.5",
            ])
    }

    @Test func `OB-1: what happens beside the phases has a level too`() {
        let observer = LoggingObserver(log.logger(), service: "pubnub")
        observer.noted(.subscribed(channel: "room", isRenewal: true))
        observer.noted(.subscriptionFailed(channel: "room", category: .accessDenied, code: 403, willRetry: true))
        observer.noted(.gap(channel: nil))
        observer.noted(.received(3))
        observer.noted(.published(.accepted, category: nil, code: nil, roundTrip: .milliseconds(20)))
        observer.noted(.published(.unknown, category: .timeout, code: nil, roundTrip: .seconds(2)))
        #expect(log.lines.map { "\($0.level)" } == ["debug", "warning", "notice", "trace", "debug", "warning"])
        #expect(log.lines[1].metadata["lifeline.code"] == "403" && log.lines[1].metadata["lifeline.will_retry"] == "true")
        #expect(log.lines[5].metadata["lifeline.outcome"] == "unknown" && log.lines[5].metadata["lifeline.round_trip"] == "2.0")
    }

    @Test func `OB-2: names of channels are for the level debug and below`() {
        let reports: [ClientReport] = [
            .gap(channel: "user-ann"), .subscriptionFailed(channel: "user-ann", category: .timeout, code: nil, willRetry: true),
            .subscribed(channel: "user-ann", isRenewal: false),
        ]
        let observer = LoggingObserver(log.logger(level: .info), service: "pusher")
        for report in reports { observer.noted(report) }
        #expect(log.lines.count == 2 && !log.everything.contains("ann"))
        let verbose = LoggingObserver(log.logger(level: .debug), service: "pusher")
        for report in reports { verbose.noted(report) }
        #expect(log.lines.dropFirst(2).allSatisfy { $0.metadata["lifeline.channel"] == "user-ann" })
    }

    @Test func `OB-3: connects, losses, retries and times are measured`() {
        let observer = MetricsObserver(.factory(metrics), service: "chat")
        observer.changed(change(.connecting, .connecting, at: 1))
        observer.changed(change(.connected, .connected, at: 3))
        observer.changed(change(.waiting, .unexpectedDisconnect, at: 13))
        observer.changed(change(.connecting, .unexpectedDisconnect, at: 14))
        observer.changed(change(.waiting, .networkUnavailable, at: 15))
        observer.changed(change(.connecting, .networkUnavailable, at: 16))
        observer.changed(change(.connected, .reconnected, at: 17))
        observer.changed(change(.disconnecting, .disconnected, at: 20))
        observer.changed(change(.disconnected, .disconnected, at: 21))
        observer.changed(change(.connecting, .connecting, at: 22))
        observer.changed(change(.failed, .refused, at: 23))
        #expect(metrics.count("lifeline_client_connects_total{service=chat}") == 1)
        #expect(metrics.count("lifeline_client_retries_total{service=chat,category=unexpectedDisconnect}") == 1)
        #expect(metrics.count("lifeline_client_retries_total{service=chat,category=networkUnavailable}") == 1)
        #expect(metrics.count("lifeline_client_reconnects_total{service=chat,category=networkUnavailable}") == 1)
        #expect(metrics.count("lifeline_client_failures_total{service=chat,category=refused}") == 1)
        let (second, connect) = (Int64(1_000_000_000), "lifeline_client_connect_seconds{service=chat}")
        #expect(metrics.durations(connect) == [2 * second, second])
        #expect(metrics.durations("lifeline_client_connected_seconds{service=chat}") == [10 * second, 3 * second])
    }

    @Test func `OB-3: messages, gaps and what is published are counted, and labels stay few`() {
        let observer = MetricsObserver(.factory(metrics), service: "pusher")
        observer.noted(.received(5))
        observer.noted(.received(2))
        observer.noted(.gap(channel: "a"))
        observer.noted(.gap(channel: "b"))
        observer.noted(.published(.refused, category: .accessDenied, code: 403, roundTrip: .milliseconds(3)))
        for name in ["mine", "accessDenied", "yours"] {
            observer.noted(
                .subscriptionFailed(
                    channel: name, category: StatusCategory(rawValue: name), code: nil, willRetry: false))
        }
        #expect(metrics.count("lifeline_client_messages_total{service=pusher}") == 7)
        #expect(metrics.count("lifeline_client_gaps_total{service=pusher}") == 2)
        #expect(metrics.count("lifeline_client_publishes_total{service=pusher,outcome=refused}") == 1)
        #expect(metrics.durations("lifeline_client_publish_seconds{service=pusher}") == [3_000_000])
        #expect(metrics.count("lifeline_client_subscription_failures_total{service=pusher,category=other}") == 2)
        #expect(metrics.count("lifeline_client_subscription_failures_total{service=pusher,category=accessDenied}") == 1)
    }

    @Test func `Without a logger and metrics nobody looks on`() {
        #expect(ClientTelemetry(service: "pusher", logger: nil, metrics: nil) == nil)
        let both = ClientTelemetry(service: "pusher", logger: log.logger(), metrics: .factory(metrics))
        both?.changed(change(.connected, .connected))
        both?.noted(.received(1))
        #expect(log.lines.count == 2 && metrics.count("lifeline_client_messages_total{service=pusher}") == 1)
    }

    @Test(
        arguments: [
            (StatusCategory.timeout, nil, "unknown"), (.unknown, 503, "unknown"), (.accessDenied, 403, "refused"),
            (.badRequest, nil, "refused"), (.cancelled, nil, "unknown"), (.overloaded, 429, "refused"),
        ] as [(StatusCategory, Int?, String)])
    func `What was refused is told from what nobody knows`(category: StatusCategory, status: Int?, outcome: String) {
        let failure = ConnectionFailure(category, "", httpStatus: status)
        MetricsObserver(.factory(metrics), service: "pubnub").noted(.notPublished(failure, after: .zero))
        #expect(metrics.count("lifeline_client_publishes_total{service=pubnub,outcome=\(outcome)}") == 1)
    }
}
