import TelemetryTestSupport
import Testing

@testable import NexconnChatSDK

/// The log and the metrics of the settings (rule NC-56).
@Suite struct TelemetryTests {
    @Test func `the session is noted, without tokens and contents`() {
        let (log, metrics) = (CapturedLog(), CapturedMetrics())
        let fixture = EngineFixture(configure: {
            $0.logger = log.logger()
            $0.logLevel = .info
            $0.metrics = .factory(metrics)
        })
        fixture.connect("secret-token")
        fixture.confirm()
        fixture.say(.event(EngineFixture.message(1)), .event(EngineFixture.message(2)))
        fixture.lose()
        #expect(metrics.count("lifeline_client_connects_total{service=chat}") == 1)
        #expect(metrics.count("lifeline_client_messages_total{service=chat}") == 2)
        #expect(metrics.names.contains { $0.hasPrefix("lifeline_client_retries_total{service=chat,") })
        #expect(log.lines.contains { $0.level == .info && $0.metadata["lifeline.service"] == "chat" })
        #expect(log.lines.contains { $0.metadata["lifeline.phase"] == "waiting" } && !log.everything.contains("secret"))
    }
}
