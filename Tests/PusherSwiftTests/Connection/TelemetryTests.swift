import ConnectionEngine
import TelemetryTestSupport
import Testing

@testable import PusherSwift

/// The log and the metrics of the options (rule PA-85).
struct TelemetryTests {
    @Test func `the connection and its channels are noted, without payloads`() {
        let (log, metrics) = (CapturedLog(), CapturedMetrics())
        let options = PusherClientOptions()
        options.logger = log.logger(level: .info)
        options.metrics = .factory(metrics)
        let fixture = Fixture(options: options)
        fixture.pusher.subscribe("room")
        fixture.connect()
        fixture.receive(#"{"event":"pusher_internal:subscription_succeeded","channel":"room","data":"{}"}"#)
        fixture.receive(#"{"event":"news","channel":"room","data":"secret-payload"}"#)
        fixture.transport.report(.closed(ConnectionFailure(.unexpectedDisconnect, "Reset.")))
        fixture.settle()
        #expect(metrics.count("lifeline_client_connects_total{service=pusher}") == 1)
        #expect(metrics.count("lifeline_client_messages_total{service=pusher}") == 1)
        #expect(metrics.count("lifeline_client_retries_total{service=pusher,category=unexpectedDisconnect}") == 1)
        #expect(log.lines.map { "\($0.level)" }.prefix(2) == ["info", "notice"])
        #expect(!log.everything.contains("secret") && !log.everything.contains("room"))
    }
}
